import type { CallingSession } from './calling-session.ts'
import type { LogLevels } from './log-levels.ts'

interface Attached {
  session: CallingSession
  inFlight: number
  /** Nobody waits for its answer any more, but the server may still work for it. */
  hasAbandoned: boolean
  hasEnded: boolean
}

/** Who has used a connection since its server started, and is not certainly done with it. */
export class AttachedSessions {
  readonly #attached = new Map<string, Attached>()
  /** Principals who called without a session: nothing says when they are done with it. */
  readonly #passing = new Set<string>()

  /** @returns tells that the request is over, and whether its answer was given up. */
  begin(session: CallingSession): (isAbandoned: boolean) => void {
    const one = this.#attach(session)
    one.session = session
    one.inFlight += 1
    return (isAbandoned) => {
      one.inFlight -= 1
      one.hasAbandoned ||= isAbandoned
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
    const one: Attached = { session, inFlight: 0, hasAbandoned: false, hasEnded: session.ended?.aborted === true }
    this.#attached.set(session.id, one)
    const end = () => {
      one.hasEnded = true
      this.#tidy(one)
    }
    session.ended?.addEventListener('abort', end, { once: true })
    return one
  }

  /** A session that is over leaves, unless the server may still speak of what it asked for. */
  #tidy(one: Attached): void {
    const { session, inFlight, hasEnded, hasAbandoned } = one
    if (inFlight > 0 || this.#attached.get(session.id) !== one) return
    if (session.ended === undefined) this.#passing.add(session.principal)
    else if (!hasEnded || hasAbandoned) return
    this.#attached.delete(session.id)
  }
}
