import { RollcallError } from '@rollcall/plugin'
import type { ServerState, ServerStatus } from '../mcp.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import type { CallingSession } from './calling-session.ts'
import type { Running, Starter } from './connection.ts'
import { ConnectionGroup, type GroupHooks } from './connection-group.ts'
import { commonKey, type PoolKey } from './pool-key.ts'
import { PooledConnection } from './pooled-connection.ts'
import type { Work } from './shared-connection.ts'
import { stoppedWithHost } from './start-refusals.ts'

const maxInstances = 16
const order: readonly ServerState[] = ['ready', 'starting', 'failing', 'idle', 'stopped']

/** How one server's connections are made and kept. */
export interface PoolOptions {
  readonly idleMs: number
  /** The one that everybody shares is never stopped for being idle. */
  readonly keepAlive: boolean
  /** How the server is started for those who share this key. */
  readonly starterFor: (key: PoolKey) => Starter
  /** Which revisions it is known to speak, where that is known before it runs. */
  readonly eraNow: () => McpPeer['era'] | undefined
  /** A server is up and listed. */
  readonly onRunning?: (running: Running, key: PoolKey) => void
  /** A session that had connections of its own is over, and they are gone. */
  readonly onSessionOver?: (key: PoolKey) => Promise<void>
  /** A server says that a list of its has changed. */
  readonly onListChanged?: () => void
}

/** What a person is told of all connections together. */
export type PoolStatus = Omit<ServerStatus, 'appId' | 'transport'>

/** The connections of one server: one for each set of capabilities, credentials and state that must not mix. */
export class ConnectionPool {
  readonly #name: string
  readonly #options: PoolOptions
  readonly #groups = new Map<string, ConnectionGroup>()
  readonly #retiring = new Set<PooledConnection>()
  /** Counted by connections that are gone. */
  #unattributed = 0
  #isStopped = false

  constructor(name: string, options: PoolOptions) {
    this.#name = name
    this.#options = options
  }

  /**
   * Works with a connection of this key, when it is this session's turn.
   *
   * @throws {RollcallError} `BUSY` when the server has as many connections in use as it may have or too many calls wait,
   * and what a start or the work throws.
   */
  use<T>(key: PoolKey, session: CallingSession, signal: AbortSignal, work: (work: Work) => Promise<T>): Promise<T> {
    return this.#group(key, session).use(session, signal, work)
  }

  /** The connection for what nobody in particular asks. @throws {RollcallError} `BUSY`. */
  common(): PooledConnection {
    return this.#group(commonKey).first()
  }

  /** Which log messages a session wants; holds until it is over, also for servers that are started later. */
  setLogLevel(key: PoolKey, session: CallingSession, level: string): void {
    this.#group(key, session).levels.set(session, level)
  }

  status(): PoolStatus {
    const all = [...this.#connections()]
    const counts = {
      connections: all.filter(({ running }) => running !== undefined).length,
      unattributed: all.reduce((sum, { unattributed }) => sum + unattributed, this.#unattributed),
    }
    // The liveliest one speaks.
    const first = all.toSorted((one, other) => rankOf(one) - rankOf(other))[0]
    if (first === undefined) return { state: 'idle', noiseLines: 0, ...counts }
    const { state, lastError, nextTryAt } = first
    const { pid, stderrTail, noiseLines } = first.vitals()
    const protocolVersion = first.running?.peer.protocolVersion
    return {
      state,
      noiseLines,
      ...counts,
      ...(pid !== undefined && { pid }),
      ...(stderrTail !== '' && { stderrTail }),
      ...(lastError !== undefined && { lastError: { code: lastError.code, message: lastError.message } }),
      ...(nextTryAt !== undefined && { nextTryAt }),
      ...(protocolVersion !== undefined && { protocolVersion }),
    }
  }

  /** Lists everything again that runs and says that its list has changed. Never rejects. */
  async relist(onListed: (running: Running, key: PoolKey) => void): Promise<void> {
    const all = [...this.#groups.values()].flatMap(({ key, connections }) =>
      [...connections].map(async (connection) => {
        // One that can not be listed now is listed before its next call.
        const running = await connection.relist().catch(() => undefined)
        if (running !== undefined) onListed(running, key)
      }),
    )
    await Promise.all(all)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#retiring, ...this.#connections()].map((connection) => connection.stop()))
  }

  /** Calls in flight finish; the next ones start the server anew. */
  renew(): void {
    for (const connection of this.#connections()) connection.renew()
  }

  *#connections(): Generator<PooledConnection> {
    for (const group of this.#groups.values()) yield* group.connections
  }

  #group(key: PoolKey, session?: CallingSession): ConnectionGroup {
    const id = JSON.stringify([key.capabilityClass, key.subject, key.isolation])
    const known = this.#groups.get(id)
    if (known !== undefined) return known
    for (const [other, { isEmpty }] of this.#groups) if (isEmpty) this.#groups.delete(other)
    const group = new ConnectionGroup(this.#name, key, {
      isStateless: this.#options.eraNow() === 'stateless',
      make: (hooks) => this.#make(key, hooks),
    })
    this.#groups.set(id, group)
    // What belongs to one session is of no use to anybody after it.
    if (key.isolation.startsWith('session ')) {
      const end = () => void this.#drop(id, group, key)
      if (session?.ended?.aborted === true) end()
      else session?.ended?.addEventListener('abort', end, { once: true })
    }
    return group
  }

  #make(key: PoolKey, hooks: GroupHooks): PooledConnection {
    if (this.#isStopped) throw stoppedWithHost(this.#name)
    if ([...this.#connections()].length >= maxInstances) this.#makeRoom()
    const { idleMs, keepAlive, starterFor, onRunning, onListChanged } = this.#options
    const isCommon = key.isolation === commonKey.isolation && key.capabilityClass === commonKey.capabilityClass
    const connection: PooledConnection = new PooledConnection(this.#name, starterFor(key), {
      idleMs,
      capabilityClass: key.capabilityClass,
      isIsolated: key.isolation !== commonKey.isolation,
      levels: hooks.levels,
      keepAlive: keepAlive && isCommon,
      onRunning: (running) => onRunning?.(running, key),
      onLost: () => hooks.onLost(connection),
      onListChanged: () => onListChanged?.(),
    })
    return connection
  }

  #makeRoom(): void {
    const unused = [...this.#groups.values()].flatMap((group) =>
      [...group.connections].filter((connection) => group.isUnused(connection)),
    )
    const first = unused.find(({ running }) => running === undefined) ?? unused[0]
    if (first === undefined) {
      throw new RollcallError('BUSY', `${this.#name} runs ${maxInstances} times already; nothing was sent.`, {
        hint: 'Repeat it later.',
      })
    }
    void this.#retire(first)
  }

  #retire(connection: PooledConnection): Promise<void> {
    for (const [id, group] of this.#groups) {
      if (!group.connections.has(connection)) continue
      group.remove(connection)
      if (group.isEmpty) this.#groups.delete(id)
    }
    const leaving = connection.retire().finally(() => {
      this.#retiring.delete(connection)
      this.#unattributed += connection.unattributed
    })
    this.#retiring.add(connection)
    return leaving
  }

  async #drop(id: string, group: ConnectionGroup, key: PoolKey): Promise<void> {
    if (this.#groups.get(id) === group) this.#groups.delete(id)
    await Promise.all([...group.connections].map((connection) => this.#retire(connection)))
    // What can not be cleared away is of no use to anybody all the same.
    await this.#options.onSessionOver?.(key).catch(() => {})
  }
}

function rankOf({ state }: PooledConnection): number {
  return order.indexOf(state)
}
