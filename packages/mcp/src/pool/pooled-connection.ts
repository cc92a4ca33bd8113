import type { RollcallError } from '@rollcall/plugin'
import type { ServerState } from '../mcp.ts'
import type { PeerVitals } from '../peer/mcp-peer.ts'
import { CallQueue } from './call-queue.ts'
import type { Connection, Running, Starter } from './connection.ts'
import { SharedConnection, type SharedConnectionOptions, type Use, type Work } from './shared-connection.ts'
import { Subscriptions } from './subscriptions.ts'

const places = { inFlight: 8, waiting: 64 }

/** How a place in the pool is kept. */
export interface PooledConnectionOptions extends Omit<SharedConnectionOptions, 'subscriptions' | 'isWanted'> {
  /** Never stopped for being idle. */
  readonly keepAlive: boolean
}

/** A place in the pool: it lasts longer than the connection in it, which is replaced when what was accepted changes. */
export class PooledConnection {
  readonly #name: string
  readonly #starter: Starter
  readonly #options: PooledConnectionOptions
  readonly #queue: CallQueue
  readonly #subscriptions: Subscriptions
  /** Whose calls in flight finish, after a renewal. */
  readonly #leaving = new Set<Connection>()
  #current: SharedConnection
  /** Those who work with it, or wait for a place. */
  #uses = 0
  /** Counted by connections that were replaced. */
  #unattributed = 0

  constructor(name: string, starter: Starter, options: PooledConnectionOptions) {
    this.#name = name
    this.#starter = starter
    this.#options = options
    this.#queue = new CallQueue(name, places)
    this.#subscriptions = new Subscriptions((method, params) => this.#current.send(method, params))
    this.#current = this.#open()
  }

  /** Without anybody who calls: for a first list. */
  get connection(): Connection {
    return this.#current.connection
  }

  get state(): ServerState {
    return this.connection.state
  }

  get lastError(): RollcallError | undefined {
    return this.connection.lastError
  }

  get nextTryAt(): number | undefined {
    return this.connection.nextTryAt
  }

  vitals(): PeerVitals {
    return this.connection.vitals()
  }

  /** What runs at this moment. */
  get running(): Running | undefined {
    return this.#current.running
  }

  /** Nobody works with it, and nobody waits for what it may say. */
  get isUnused(): boolean {
    return this.#uses === 0 && !this.connection.isUsed && !this.#isWanted
  }

  get unattributed(): number {
    return this.#unattributed + this.#current.unattributed
  }

  /**
   * Waits for a place, starts the server if it isn't running, and works with it.
   *
   * @throws {RollcallError} `BUSY`, and what a start or the work throws.
   */
  async use<T>(use: Use, work: (work: Work) => Promise<T>): Promise<T> {
    this.#uses += 1
    try {
      const leave = await this.#queue.enter(use.session.principal, use.signal)
      try {
        // A person may take a long time to answer, and holds up nobody else meanwhile.
        return await this.#current.use(use, leave, work)
      } finally {
        leave()
      }
    } finally {
      this.#uses -= 1
    }
  }

  start(): void {
    this.#current.start()
  }

  sendLevel(level: string): void {
    this.#current.sendLevel(level)
  }

  relist(): Promise<Running | undefined> {
    return this.#current.relist()
  }

  /** Calls in flight finish; the next ones start the server anew. What was subscribed to stays so. */
  renew(): void {
    const old = this.#current
    const wasIdle = old.connection.state === 'idle'
    this.#unattributed += old.unattributed
    this.#current = this.#open()
    this.#options.onLost()
    this.#leaving.add(old.connection)
    void old.connection.retire().finally(() => this.#leaving.delete(old.connection))
    if (!wasIdle && this.#isWanted) this.start()
  }

  /** Ends it as soon as nobody works with it any more. */
  async retire(): Promise<void> {
    await Promise.all([this.connection, ...this.#leaving].map((connection) => connection.retire()))
  }

  /** Ends it for good; resolves when nothing of it is left. */
  async stop(): Promise<void> {
    await Promise.all([this.connection, ...this.#leaving].map((connection) => connection.stop()))
  }

  get #isWanted(): boolean {
    return this.#options.keepAlive || !this.#subscriptions.isEmpty
  }

  #open(): SharedConnection {
    const { onLost, onRunning } = this.#options
    // One that is on its leave says nothing about the one that took its place.
    const isCurrent = () => this.#current === opened
    const opened: SharedConnection = new SharedConnection(this.#name, this.#starter, {
      ...this.#options,
      subscriptions: this.#subscriptions,
      isWanted: () => isCurrent() && this.#isWanted,
      onRunning: (running) => isCurrent() && onRunning(running),
      onLost: () => isCurrent() && onLost(),
    })
    return opened
  }
}
