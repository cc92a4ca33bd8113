import { isRollcallError, type JsonObject, RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { LiveList } from '../listing/live-list.ts'
import type { ServerState } from '../mcp.ts'
import { type McpPeer, type OnServerRequest, type PeerVitals, ServerRequestError } from '../peer/mcp-peer.ts'

/** A server that answers, and what it lists. */
export interface Running {
  readonly peer: McpPeer
  readonly live: LiveList
}

/** What a connection hears of its server besides answers. */
export interface ConnectionHooks {
  /** Answers what the server asks where it is not known which request it belongs to. */
  readonly onServerRequest: OnServerRequest
  readonly onNotification: (method: string, params: JsonObject) => void
  /** It is up and listed: at first, and after every restart. */
  readonly onRunning: (running: Running) => void
  /** It is gone: its process left, or it was stopped. */
  readonly onLost: (reason: RollcallError) => void
}

/** How a connection comes about. */
export interface Starter {
  /** Milliseconds for the start and the first list together. */
  readonly connectTimeoutMs: number
  connect(
    signal: AbortSignal,
    onVitals: (read: () => PeerVitals) => void,
    onServerRequest: OnServerRequest,
  ): Promise<McpPeer>
  list(peer: McpPeer, signal: AbortSignal, timeoutMs: number): Promise<LiveList>
}

const comeBackMs = { first: 500, last: 30_000 }
/** Up for this long, it is taken for sound again. */
const soundMs = 60_000

export interface ConnectionOptions {
  /** Milliseconds after which it is stopped when nobody uses it. */
  readonly idleMs: number
  readonly hooks?: ConnectionHooks
  /** Somebody waits for what it may say: it is not stopped for being idle, and comes back after a loss. */
  readonly isWanted?: () => boolean
}

/** One connection to one server: started at first use, listed once after each start, stopped when idle. */
export class Connection {
  readonly #name: string
  readonly #starter: Starter
  readonly #idleMs: number
  readonly #hooks: ConnectionHooks | undefined
  readonly #isWanted: () => boolean
  #state: ServerState = 'idle'
  #running: Running | undefined
  #starting: Promise<Running> | undefined
  #stopStart: AbortController | undefined
  #isStale = false
  #isStopped = false
  #uses = 0
  #idleTimer: NodeJS.Timeout | undefined
  #comeBackTimer: NodeJS.Timeout | undefined
  /** Starts in a row after which it was lost again, or never came up. */
  #tries = 0
  #nextTryAt: number | undefined
  #upSince = 0
  #lastError: RollcallError | undefined
  #readVitals: (() => PeerVitals) | undefined
  readonly #waiters: (() => void)[] = []
  readonly #leaving = new Set<Promise<void>>()

  constructor(name: string, starter: Starter, options: ConnectionOptions) {
    this.#name = name
    this.#starter = starter
    this.#idleMs = options.idleMs
    this.#hooks = options.hooks
    this.#isWanted = options.isWanted ?? (() => false)
  }

  get state(): ServerState {
    return this.#state
  }

  get lastError(): RollcallError | undefined {
    return this.#lastError
  }

  /** Milliseconds since the epoch at which it is started again by itself. */
  get nextTryAt(): number | undefined {
    return this.#nextTryAt
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
    clearTimeout(this.#comeBackTimer)
    this.#stopStart?.abort()
    await this.#starting?.catch(() => {})
    if (this.#running !== undefined) {
      this.#release(this.#running.peer)
      this.#hooks?.onLost(this.#stopped())
    }
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
      peer = await this.#starter.connect(
        signal,
        (read) => {
          this.#readVitals = read
        },
        (method, params, asking) => this.#answer(method, params, asking),
      )
      this.#watch(peer)
      const leftMs = this.#starter.connectTimeoutMs - (performance.now() - startedAt)
      const running = { peer, live: await this.#list(peer, signal, leftMs) }
      if (signal.aborted) throw this.#stopped()
      this.#running = running
      this.#state = 'ready'
      this.#lastError = undefined
      this.#nextTryAt = undefined
      this.#upSince = performance.now()
      this.#hooks?.onRunning(running)
      // Everybody may have given up waiting for it.
      if (this.#uses === 0) this.#onUnused()
      return running
    } catch (error) {
      if (peer !== undefined) this.#release(peer)
      if (!this.#isStopped) this.#state = 'failing'
      if (isRollcallError(error)) this.#lastError = error
      this.#comeBack()
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
    peer.onNotification((method, params) => {
      if (method.endsWith('/list_changed')) this.#isStale = true
      this.#hooks?.onNotification(method, isJsonObject(params) ? params : {})
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
    this.#hooks?.onLost(reason)
    this.#comeBack()
  }

  /** Somebody waits for what it may say: it is started again without being called. */
  #comeBack(): void {
    if (this.#isStopped || !this.#isWanted()) return
    clearTimeout(this.#comeBackTimer)
    if (performance.now() - this.#upSince > soundMs) this.#tries = 0
    const waitMs = Math.min(comeBackMs.last, comeBackMs.first * 2 ** this.#tries)
    this.#tries += 1
    this.#nextTryAt = Date.now() + waitMs
    this.#comeBackTimer = setTimeout(() => {
      this.#nextTryAt = undefined
      if (!this.#isWanted()) return
      // One that fails to start is tried again from there.
      this.use(new AbortController().signal, async () => {}).catch(() => {})
    }, waitMs)
    this.#comeBackTimer.unref()
  }

  #answer: OnServerRequest = (method, params, signal) => {
    if (this.#hooks === undefined) throw new ServerRequestError(-32_601, `Nobody here answers ${method}.`)
    return this.#hooks.onServerRequest(method, params, signal)
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
      if (this.#isWanted()) return this.#onUnused()
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
