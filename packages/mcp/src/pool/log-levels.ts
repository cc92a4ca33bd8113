import type { CallingSession } from './calling-session.ts'
import { isLoudEnough, lowestLevel } from './log-level.ts'

/** Which log messages the sessions of one kind of connection asked for. */
export class LogLevels {
  readonly #asked = new Map<string, string>()
  readonly #onChanged: (lowest: string) => void

  /** @param onChanged is told the level that is enough for everybody, whenever that is another one. */
  constructor(onChanged: (lowest: string) => void) {
    this.#onChanged = onChanged
  }

  /** The level that is enough for everybody who asked. */
  get lowest(): string | undefined {
    return lowestLevel(this.#asked.values())
  }

  get isEmpty(): boolean {
    return this.#asked.size === 0
  }

  levelOf(session: CallingSession): string | undefined {
    return this.#asked.get(session.id)
  }

  /** Holds until the session is over. */
  set(session: CallingSession, level: string): void {
    const isKnown = this.#asked.has(session.id)
    this.#change(() => this.#asked.set(session.id, level))
    if (isKnown) return
    const forget = () => this.#change(() => this.#asked.delete(session.id))
    if (session.ended?.aborted === true) forget()
    else session.ended?.addEventListener('abort', forget, { once: true })
  }

  /** Tells whether a message is for this session; one that never asked for a level gets what the server sends. */
  isFor(session: CallingSession, level: unknown): boolean {
    const asked = this.#asked.get(session.id)
    return asked === undefined || isLoudEnough(level, asked)
  }

  #change(change: () => void): void {
    const before = this.lowest
    change()
    const { lowest } = this
    if (lowest !== undefined && lowest !== before) this.#onChanged(lowest)
  }
}
