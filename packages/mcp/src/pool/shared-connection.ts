import { isRollcallError, type JsonObject } from '@rollcall/plugin'
import type { McpPeer, PeerAnswer } from '../peer/mcp-peer.ts'
import type { CallingSession } from './calling-session.ts'
import { capabilitiesOf } from './capability-class.ts'
import { Connection, type Running, type Starter } from './connection.ts'
import { Conversation, type RequestEars, tell } from './conversation.ts'
import type { LogLevels } from './log-levels.ts'
import type { Subscriptions } from './subscriptions.ts'

/** For what is sent in the background. */
const backgroundMs = 10_000

/** What one request works with. */
export interface Work extends Running {
  /** Hand them to every request that is made. */
  readonly ears: RequestEars
  /** The server sent the caller to an address: it may tell later that this is over. */
  readonly onSentAway: (elicitationId: string) => void
  readonly subscriptions: Subscriptions
  /** What the session asked to hear, where every request says so itself. */
  readonly logLevel?: string
}

/** Who makes a request, and how the pool hears of it. */
export interface Use {
  readonly session: CallingSession
  readonly signal: AbortSignal
  /** Told what runs, right before it is worked with. */
  readonly onEra: (era: McpPeer['era']) => void
  /** The server may still be at it, though nobody waits for its answer any more. */
  readonly onAbandoned: () => void
}

/** How a connection that several share is kept. */
export interface SharedConnectionOptions {
  readonly idleMs: number
  readonly capabilityClass: string
  /** All who use it are one principal. */
  readonly isIsolated: boolean
  readonly levels: LogLevels
  readonly subscriptions: Subscriptions
  readonly isWanted: () => boolean
  readonly onRunning: (running: Running) => void
  readonly onLost: () => void
  readonly onListChanged: () => void
}

/** One connection and those who share it: what its server says reaches whom it belongs to, across restarts. */
export class SharedConnection {
  readonly connection: Connection
  readonly #options: SharedConnectionOptions
  readonly #conversation: Conversation
  #running: Running | undefined
  /** Whose folders the server knows. */
  #rootsOf: string | undefined

  constructor(name: string, starter: Starter, options: SharedConnectionOptions) {
    this.#options = options
    this.#conversation = new Conversation(options)
    this.connection = new Connection(name, starter, {
      idleMs: options.idleMs,
      hooks: {
        onServerRequest: this.#conversation.answer,
        onNotification: (method, params) => this.#hear(method, params),
        onRunning: (running) => this.#onRunning(running),
        onLost: () => this.#onLost(),
      },
      isWanted: options.isWanted,
    })
  }

  /** What runs at this moment. */
  get running(): Running | undefined {
    return this.#running
  }

  get unattributed(): number {
    return this.#conversation.unattributed
  }

  /**
   * Starts the server if it isn't running, and works with it.
   *
   * @param onAsked the request waits for a person.
   * @throws what a start or the work throws.
   */
  use<T>(use: Use, onAsked: () => void, work: (work: Work) => Promise<T>): Promise<T> {
    const { session, signal, onEra, onAbandoned } = use
    return this.connection.use(signal, async (running) => {
      const { era } = running.peer
      onEra(era)
      this.#tellRoots(running.peer, session)
      const { ears, onSentAway, end } = this.#conversation.begin(session, onAsked)
      const logLevel = era === 'stateless' ? this.#options.levels.levelOf(session) : undefined
      const level = logLevel === undefined ? {} : { logLevel }
      const { subscriptions } = this.#options
      try {
        return await work({ ...running, ears, onSentAway, subscriptions, ...level })
      } catch (error) {
        // What was lost with its server asks nothing any more.
        if (wasSent(error) && this.#running?.peer === running.peer) onAbandoned()
        throw error
      } finally {
        end()
      }
    })
  }

  /** Starts it, though nobody calls: for what is kept alive or waited for. Whatever goes wrong is in its state. */
  start(): void {
    this.connection.use(new AbortController().signal, async () => {}).catch(() => {})
  }

  /** Lists again what runs, if it says that its list has changed. @returns what runs now, if anything does. */
  async relist(): Promise<Running | undefined> {
    if (this.#running === undefined) return undefined
    return this.connection.use(new AbortController().signal, async (running) => running)
  }

  /** Sends the level that is enough for everybody; a server that does not run is told when it does. */
  sendLevel(level: string): void {
    const { peer } = this.#running ?? {}
    if (peer === undefined || peer.era === 'stateless' || peer.server.capabilities.logging === undefined) return
    this.#sendTo(peer, 'logging/setLevel', { level })
  }

  /** Sends what no call waits for. A server that does not run need not be told. */
  async send(method: string, params: JsonObject): Promise<PeerAnswer> {
    const { peer } = this.#running ?? {}
    return peer === undefined ? { ok: true, result: {} } : request(peer, method, params)
  }

  #onRunning(running: Running): void {
    this.#running = running
    const { levels, subscriptions } = this.#options
    if (levels.lowest !== undefined) this.sendLevel(levels.lowest)
    for (const uri of subscriptions.uris) this.#resubscribe(running.peer, uri)
    this.#options.onRunning(running)
  }

  #resubscribe(peer: McpPeer, uri: string): void {
    this.#sendTo(peer, 'resources/subscribe', { uri })
    // Whatever it said while it was away was missed.
    for (const session of this.#options.subscriptions.askersOf(uri)) {
      tell(session, 'notifications/resources/updated', { uri })
    }
  }

  #onLost(): void {
    this.#running = undefined
    this.#rootsOf = undefined
    this.#conversation.renew()
    this.#options.onLost()
  }

  #hear(method: string, params: JsonObject): void {
    if (method.endsWith('/list_changed')) this.#options.onListChanged()
    else this.#conversation.hear(method, params)
  }

  /** The server must not go on with the folders of somebody else. */
  #tellRoots(peer: McpPeer, session: CallingSession): void {
    if (peer.era === 'stateless' || capabilitiesOf(this.#options.capabilityClass).roots === undefined) return
    if (this.#rootsOf !== undefined && this.#rootsOf !== session.id) {
      peer.notify('notifications/roots/list_changed', {})
    }
    this.#rootsOf = session.id
  }

  #sendTo(peer: McpPeer, method: string, params: JsonObject): void {
    // What it does not take, it does without; one that is gone is noticed elsewhere.
    request(peer, method, params).catch(() => {})
  }
}

function request(peer: McpPeer, method: string, params: JsonObject): Promise<PeerAnswer> {
  return peer.request(method, params, { signal: new AbortController().signal, timeoutMs: backgroundMs })
}

/** Tells whether a request failed after it was sent, so that the server may still be at it. */
function wasSent(error: unknown): boolean {
  if (!isRollcallError(error)) return false
  return error.code === 'TOOL_OUTCOME_UNKNOWN' || error.data?.sent === true
}
