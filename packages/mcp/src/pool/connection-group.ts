import type { McpPeer } from '../peer/mcp-peer.ts'
import type { CallingSession } from './calling-session.ts'
import { bareClass } from './capability-class.ts'
import { LogLevels } from './log-levels.ts'
import type { PoolKey } from './pool-key.ts'
import type { PooledConnection } from './pooled-connection.ts'
import { SessionTurns } from './session-turns.ts'
import type { Work } from './shared-connection.ts'

type Era = McpPeer['era']

const turnWaitMs = 5_000
const needsTurn = Symbol('needs a turn')
const maxWaiting = 64

/** What a group hears of its connections, and they of it. */
export interface GroupHooks {
  readonly levels: LogLevels
  /** Its server is gone: whatever it was doing is over. */
  readonly onLost: (connection: PooledConnection) => void
}

/** The connections under one key: one as a rule, more where sessions would wait for each other too long. */
export class ConnectionGroup {
  readonly levels: LogLevels
  readonly key: PoolKey
  readonly #make: (hooks: GroupHooks) => PooledConnection
  readonly #connections = new Set<PooledConnection>()
  readonly #turns: SessionTurns<PooledConnection>
  #isStateless: boolean

  /** @param make throws a `RollcallError` of code `BUSY` when there may be no more. */
  constructor(
    name: string,
    key: PoolKey,
    parts: { readonly isStateless: boolean; readonly make: (hooks: GroupHooks) => PooledConnection },
  ) {
    this.key = key
    this.#make = parts.make
    this.#isStateless = parts.isStateless
    this.levels = new LogLevels((lowest) => {
      for (const connection of this.#connections) connection.sendLevel(lowest)
    })
    this.#turns = new SessionTurns({ name, waitMs: turnWaitMs, maxWaiting, add: () => this.#add() })
  }

  get connections(): ReadonlySet<PooledConnection> {
    return this.#connections
  }

  /** Nothing is kept here that a later request would miss. */
  get isEmpty(): boolean {
    return this.#connections.size === 0 && this.levels.isEmpty
  }

  /** The one that everybody uses who needs no turn. */
  first(): PooledConnection {
    const [first] = this.#connections
    return first ?? this.#add()
  }

  /**
   * Works with a connection as soon as it is this session's turn. Where nothing can be asked, or the server says for which
   * request it asks, nobody waits.
   *
   * @throws {RollcallError} `BUSY`, and what a start or the work throws.
   */
  async use<T>(session: CallingSession, signal: AbortSignal, work: (work: Work) => Promise<T>): Promise<T> {
    if (this.#isStateless || this.key.capabilityClass === bareClass) {
      const answer = await this.#useWithoutTurn(session, signal, work)
      if (answer !== needsTurn) return answer
    }
    const turn = await this.#turns.take(session.id, signal)
    try {
      const onEra = (era: Era) => {
        this.#onEra(era)
        if (era === 'stateless') turn.leave()
      }
      return await turn.instance.use({ session, signal, onEra, onAbandoned: () => turn.leave(true) }, work)
    } finally {
      turn.leave()
    }
  }

  /** Nobody works with it, has the turn to, or waits for what it may say. */
  isUnused(connection: PooledConnection): boolean {
    return connection.isUnused && !this.#turns.isHeld(connection)
  }

  /** @returns `needsTurn`, and nothing was done, where the server turns out to be one that does not say for whom it asks. */
  async #useWithoutTurn<T>(
    session: CallingSession,
    signal: AbortSignal,
    work: (work: Work) => Promise<T>,
  ): Promise<T | typeof needsTurn> {
    const onEra = (era: Era) => this.#onEra(era)
    return this.first().use(
      { session, signal, onEra, onAbandoned() {} },
      async (running): Promise<T | typeof needsTurn> => {
        const isSafe = running.peer.era === 'stateless' || this.key.capabilityClass === bareClass
        return isSafe ? work(running) : needsTurn
      },
    )
  }

  /** It is no more; who works with it finishes. */
  remove(connection: PooledConnection): void {
    if (this.#connections.delete(connection)) this.#turns.remove(connection)
  }

  /** What runs now says whether anybody has to wait for a turn next time. */
  #onEra(era: Era): void {
    this.#isStateless = era === 'stateless'
  }

  #add(): PooledConnection {
    const connection = this.#make({
      levels: this.levels,
      onLost: (lost) => this.#turns.renew(lost),
    })
    this.#connections.add(connection)
    return connection
  }
}
