import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Clock } from '@rollcall/host'
import type { Principal } from '@rollcall/plugin'
import type { HttpTransport } from './http-transport.ts'

/** A session of one client. */
export interface Session {
  /** As authenticated at the latest request; the id in it never changes. */
  readonly owner: { principal: Principal }
  readonly profile: string
  readonly server: Server
  readonly transport: HttpTransport
  /** Milliseconds since the epoch. */
  seenAt: number
}

/** How much one principal may hold. */
export interface FaceLimits {
  /** Default 20 sessions a principal. */
  readonly sessions: number
  /** Default 50 POSTs a principal that are being answered. */
  readonly openAnswers: number
  /** Milliseconds; default 1 h. */
  readonly idleMs: number
  /** Default 4 MB. */
  readonly bodyBytes: number
}

/** A client whose stream broke off is back sooner than this. */
const unusedMs = 1_000

/** All sessions of one face: bound to their principal and profile, ended when idle. */
export class SessionBook {
  readonly #sessions = new Map<string, Session>()
  readonly #limits: FaceLimits
  readonly #clock: Pick<Clock, 'now'>

  constructor(limits: FaceLimits, clock: Pick<Clock, 'now'>) {
    this.#limits = limits
    this.#clock = clock
  }

  /**
   * Tells whether this principal may have one more. Clients come and go without a word, so the one that nobody has used
   * for longest makes room; a client that comes back to it is told to begin anew.
   */
  hasRoomForSession(principalId: string): boolean {
    this.sweep()
    const own = [...this.#sessions.values()].filter(({ owner }) => owner.principal.id === principalId)
    if (own.length < this.#limits.sessions) return true
    const [oldest] = own.filter((session) => this.#isUnused(session, unusedMs)).sort((a, b) => a.seenAt - b.seenAt)
    if (oldest === undefined) return false
    void this.end(oldest)
    return true
  }

  openAnswers(principalId: string): number {
    let open = 0
    for (const { owner, transport } of this.#sessions.values()) {
      if (owner.principal.id === principalId) open += transport.openAnswers
    }
    return open
  }

  /** Keeps a session until it is ended, at the latest when its principal is known no more. */
  add(session: Session, over?: AbortSignal): void {
    this.#sessions.set(session.transport.sessionId, session)
    over?.addEventListener('abort', () => void this.end(session), { once: true })
  }

  /** The session of that id, if it is this principal's and of this profile. Counts as activity. */
  find(id: string, principal: Principal, profile: string): Session | undefined {
    const session = this.#sessions.get(id)
    if (session?.owner.principal.id !== principal.id || session.profile !== profile) return undefined
    if (this.#isUnused(session, this.#limits.idleMs)) {
      void this.end(session)
      return undefined
    }
    session.owner.principal = principal
    session.seenAt = this.#clock.now()
    return session
  }

  async end(session: Session): Promise<void> {
    this.#sessions.delete(session.transport.sessionId)
    await session.server.close()
  }

  /** Ends the sessions that nobody uses any more. */
  sweep(): void {
    for (const session of [...this.#sessions.values()]) {
      if (this.#isUnused(session, this.#limits.idleMs)) void this.end(session)
    }
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)))
  }

  #isUnused({ transport, seenAt }: Session, forMs: number): boolean {
    const inUse = transport.hasStream || transport.openAnswers > 0
    return !inUse && this.#clock.now() - seenAt >= forMs
  }
}
