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

/** All sessions of one face: bound to their principal and profile, ended when idle. */
export class SessionBook {
  readonly #sessions = new Map<string, Session>()
  readonly #limits: FaceLimits
  readonly #clock: Pick<Clock, 'now'>

  constructor(limits: FaceLimits, clock: Pick<Clock, 'now'>) {
    this.#limits = limits
    this.#clock = clock
  }

  hasRoomForSession(principalId: string): boolean {
    this.sweep()
    let sessions = 0
    for (const { owner } of this.#sessions.values()) if (owner.principal.id === principalId) sessions += 1
    return sessions < this.#limits.sessions
  }

  openAnswers(principalId: string): number {
    let open = 0
    for (const { owner, transport } of this.#sessions.values()) {
      if (owner.principal.id === principalId) open += transport.openAnswers
    }
    return open
  }

  add(session: Session): void {
    this.#sessions.set(session.transport.sessionId, session)
  }

  /** The session of that id, if it is this principal's and of this profile. Counts as activity. */
  find(id: string, principal: Principal, profile: string): Session | undefined {
    const session = this.#sessions.get(id)
    if (session?.owner.principal.id !== principal.id || session.profile !== profile) return undefined
    if (this.#isIdle(session)) {
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
      if (this.#isIdle(session)) void this.end(session)
    }
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)))
  }

  #isIdle({ transport, seenAt }: Session): boolean {
    const inUse = transport.hasStream || transport.openAnswers > 0
    return !inUse && this.#clock.now() - seenAt >= this.#limits.idleMs
  }
}
