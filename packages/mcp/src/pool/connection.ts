import { isRollcallError, RollcallError } from '@rollcall/plugin'
import type { LiveList } from '../listing/live-list.ts'
import type { ServerState } from '../mcp.ts'
import type { McpPeer, PeerVitals } from '../peer/mcp-peer.ts'

/** A server that answers, and what it lists. */
export interface Running {
  readonly peer: McpPeer
  readonly live: LiveList
}

/** How a connection comes about. */
export interface Starter {
  /** Milliseconds for the start and the first list together. */
  readonly connectTimeoutMs: number
  connect(signal: AbortSignal, onVitals: (read: () => PeerVitals) => void): Promise<McpPeer>
  list(peer: McpPeer, signal: AbortSignal, timeoutMs: number): Promise<LiveList>
}

/** One connection to one server: started at first use, listed once after each start, stopped when idle. */
export class Connection {
  readonly #name: string
  readonly #starter: Starter
  readonly #idleMs: number
  #state: ServerState = 'idle'
  #running: Running | undefined
  #starting: Promise<Running> | undefined
  #stopStart: AbortController | undefined
  #isStale = false
  #isStopped = false
  #uses = 0
  #idleTimer: NodeJS.Timeout | undefined
  #lastError: RollcallError | undefined
  #readVitals: (() => PeerVitals) | undefined
  readonly #waiters: (() => void)[] = []
  readonly #leaving = new Set<Promise<void>>()

  constructor(name: string, starter: Starter, options: { readonly idleMs: number }) {
    this.#name = name
    this.#starter = starter
    this.#idleMs = options.idleMs
  }

  get state(): ServerState {
    return this.#state
  }

  get lastError(): RollcallError | undefined {
    return this.#lastError
  }

  get isUsed(): boolean {
    return this.#uses > 0
  }

  vitals(): PeerVitals {
    return this.#readVitals?.() ?? { stderrTail: '', noiseLines: 0 }
  }

  /** Starts the server if it isn't running, and works with it. What the server lists is current when work begins. */
  async use<T>(signal: AbortSignal, work: (running: Running) => Promise<T>): Promise<T> {
    clearTimeout(this.#idleTimer)
    this.#uses += 1
    let running: Running | undefined
    try {
      running = await this.#ready(signal)
      return await work(running)
    } catch (error) {
      // An HTTP server has no exit: a request that finds nobody is how its end is noticed.
      const isLost = isRollcallError(error, 'SERVER_UNAVAILABLE') && error.data?.cancelled !== true
      if (isLost && running !== undefined) this.#drop(running.peer, error)
      throw error
    } finally {
      this.#uses -= 1
      if (this.#uses === 0) this.#onUnused()
    }
  }

  /** Ends the connection as soon as nobody works with it any more. */
  async retire(): Promise<void> {
    if (this.#uses > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve))
    await this.stop()
  }

  /** Ends the connection for good; resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#state = 'stopped'
    await this.#end()
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idleTimer)
    this.#stopStart?.abort()
    await this.#starting?.catch(() => {})
    if (this.#running !== undefined) this.#release(this.#running.peer)
    await Promise.all(this.#leaving)
  }

  async #ready(signal: AbortSignal): Promise<Running> {
    if (this.#isStopped) throw this.#stopped()
    if (this.#running !== undefined && !this.#isStale) return this.#running
    if (this.#starting === undefined) {
      const current = this.#running
      this.#starting = (current === undefined ? this.#start() : this.#relist(current.peer)).finally(() => {
        this.#starting = undefined
      })
    }
    return untilAborted(this.#starting, signal, this.#name)
  }

  async #start(): Promise<Running> {
    this.#state = 'starting'
    this.#stopStart = new AbortController()
    const { signal } = this.#stopStart
    const startedAt = performance.now()
    let peer: McpPeer | undefined
    try {
      peer = await this.#starter.connect(signal, (read) => {
        this.#readVitals = read
      })
      this.#watch(peer)
      const leftMs = this.#starter.connectTimeoutMs - (performance.now() - startedAt)
      const running = { peer, live: await this.#list(peer, signal, leftMs) }
      if (signal.aborted) throw this.#stopped()
      this.#running = running
      this.#state = 'ready'
      this.#lastError = undefined
      // Everybody may have given up waiting for it.
      if (this.#uses === 0) this.#onUnused()
      return running
    } catch (error) {
      if (peer !== undefined) this.#release(peer)
      if (!this.#isStopped) this.#state = 'failing'
      if (isRollcallError(error)) this.#lastError = error
      throw error
    }
  }

  async #relist(peer: McpPeer): Promise<Running> {
    const { signal } = new AbortController()
    try {
      const running = { peer, live: await this.#list(peer, signal, this.#starter.connectTimeoutMs) }
      if (this.#running?.peer === peer) this.#running = running
      return running
    } catch (error) {
      // What it lists now is not known, so the next call asks again before it is sent.
      this.#isStale = true
      throw error
    }
  }

  #list(peer: McpPeer, signal: AbortSignal, timeoutMs: number): Promise<LiveList> {
    this.#isStale = false
    return this.#starter.list(peer, signal, Math.max(1, timeoutMs))
  }

  #watch(peer: McpPeer): void {
    peer.onNotification((method) => {
      if (method === 'notifications/tools/list_changed') this.#isStale = true
    })
    peer.onClosed((reason) => this.#drop(peer, reason))
  }

  #drop(peer: McpPeer, reason: RollcallError): void {
    if (this.#running?.peer !== peer) return
    if (!this.#isStopped) {
      this.#state = 'failing'
      this.#lastError = reason
    }
    this.#release(peer)
  }

  #release(peer: McpPeer): void {
    if (this.#running?.peer === peer) this.#running = undefined
    const leaving = Promise.resolve(peer[Symbol.asyncDispose]()).finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }

  #onUnused(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
    if (this.#running === undefined) return
    this.#idleTimer = setTimeout(() => {
      this.#state = 'idle'
      void this.#end()
    }, this.#idleMs)
    this.#idleTimer.unref()
  }

  #stopped(): RollcallError {
    return new RollcallError('SERVER_UNAVAILABLE', `${this.#name} was stopped with its host.`, {
      hint: 'Make a new host.',
    })
  }
}

/** One caller gives up waiting; the start goes on for the others. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () =>
      reject(
        new RollcallError('SERVER_UNAVAILABLE', `The call was cancelled before ${name} was ready.`, {
          hint: 'Nothing was sent.',
          data: { cancelled: true },
        }),
      )
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
