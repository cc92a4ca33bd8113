import type { CallingSession } from './calling-session.ts'
import type { LogLevels } from './log-levels.ts'

interface Attached {
  session: CallingSession
  inFlight: number
  hasEnded: boolean
}

/** Who has used a connection since its server started. */
export class AttachedSessions {
  readonly #attached = new Map<string, Attached>()
  /** Principals whose sessions are over, or who called without one: the server may still speak of what they asked for. */
  readonly #passing = new Set<string>()

  /** @returns tells that the request is over. */
  begin(session: CallingSession): () => void {
    const one = this.#attach(session)
    one.session = session
    one.inFlight += 1
    return () => {
      one.inFlight -= 1
      this.#tidy(one)
    }
  }

  /** The server was started anew and knows nobody. */
  clear(): void {
    this.#attached.clear()
    this.#passing.clear()
  }

  /** The one session that everything must be about, while nobody else has used this server. */
  only(): CallingSession | undefined {
    const [one, other] = this.#attached.values()
    const isAlone = other === undefined && this.#passing.size === 0
    return one !== undefined && isAlone && !one.hasEnded ? one.session : undefined
  }

  /**
   * Who may read a log message: the one session that listens, as long as everybody here is the same principal. Of several
   * sessions those listen that asked for a level, else all.
   */
  listener(levels: LogLevels): CallingSession | 'nobody' | 'unclear' {
    const everybody = [...this.#attached.values()]
    const hearing = everybody.filter(({ session, hasEnded }) => !hasEnded && session.caller?.notify !== undefined)
    const asking = hearing.filter(({ session }) => levels.levelOf(session) !== undefined)
    const [first, second] = asking.length > 0 ? asking : hearing
    if (first === undefined) return 'nobody'
    const principals = new Set([...everybody.map(({ session }) => session.principal), ...this.#passing])
    return second === undefined && principals.size === 1 ? first.session : 'unclear'
  }

  #attach(session: CallingSession): Attached {
    const known = this.#attached.get(session.id)
    if (known !== undefined) return known
    const one: Attached = { session, inFlight: 0, hasEnded: session.ended?.aborted === true }
    this.#attached.set(session.id, one)
    const end = () => {
      one.hasEnded = true
      this.#tidy(one)
    }
    session.ended?.addEventListener('abort', end, { once: true })
    return one
  }

  /** A session that is over leaves; what the server says late may be about what it asked for. */
  #tidy(one: Attached): void {
    const { session, inFlight, hasEnded } = one
    if (inFlight > 0 || this.#attached.get(session.id) !== one) return
    if (session.ended !== undefined && !hasEnded) return
    this.#passing.add(session.principal)
    this.#attached.delete(session.id)
  }
}
