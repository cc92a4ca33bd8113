import { setTimeout as sleep } from 'node:timers/promises'
import { isRollcallError, type JsonObject, type RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { LiveList } from '../listing/live-list.ts'
import type { ServerState } from '../mcp.ts'
import { type McpPeer, type OnServerRequest, type PeerVitals, ServerRequestError } from '../peer/mcp-peer.ts'
import { ComeBack } from './come-back.ts'
import { isLoss } from './is-loss.ts'
import { PeerUses } from './peer-uses.ts'
import { RestartPolicy } from './restart-policy.ts'
import { leftAlone, stoppedWithHost } from './start-refusals.ts'
import { waitForStart } from './wait-for-start.ts'

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

export interface ConnectionOptions {
  /** Milliseconds after which it is stopped when nobody uses it. */
  readonly idleMs: number
  readonly hooks?: ConnectionHooks
  /** Somebody waits for what it may say: it is not stopped for being idle, and comes back after a loss. */
  readonly isWanted?: () => boolean
  /** When it may be started again after failures. */
  readonly restarts?: RestartPolicy
}

/** One connection to one server: started at first use, listed once after each start, stopped when idle. */
export class Connection {
  readonly #name: string
  readonly #starter: Starter
  readonly #idleMs: number
  readonly #hooks: ConnectionHooks | undefined
  readonly #isWanted: () => boolean
  readonly #restarts: RestartPolicy
  readonly #comeBack: ComeBack
  readonly #peerUses = new PeerUses((peer) => this.#dispose(peer))
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

  constructor(name: string, starter: Starter, options: ConnectionOptions) {
    this.#name = name
    this.#starter = starter
    this.#idleMs = options.idleMs
    this.#hooks = options.hooks
    this.#isWanted = options.isWanted ?? (() => false)
    this.#restarts = options.restarts ?? new RestartPolicy()
    this.#comeBack = new ComeBack(
      this.#restarts,
      () => !this.#isStopped && this.#running === undefined && this.#isWanted(),
      () => this.use(new AbortController().signal, async () => {}),
    )
  }

  get state(): ServerState {
    return this.#state
  }

  get lastError(): RollcallError | undefined {
    return this.#lastError
  }

  /** Milliseconds since the epoch before which it is not started again, by itself or by a call. */
  get nextTryAt(): number | undefined {
    if (this.#state !== 'failing') return undefined
    return this.#comeBack.at ?? this.#restarts.nextTryAt
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
      this.#peerUses.begin(running.peer)
      return await work(running)
    } catch (error) {
      if (isLoss(error) && running !== undefined) this.#drop(running.peer, error)
      throw error
    } finally {
      if (running !== undefined) this.#peerUses.end(running.peer)
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
    this.#comeBack.forget()
    this.#stopStart?.abort()
    await this.#starting?.catch(() => {})
    if (this.#running !== undefined) {
      const { peer } = this.#running
      this.#running = undefined
      this.#dispose(peer)
      this.#hooks?.onLost(stoppedWithHost(this.#name))
    }
    this.#peerUses.disposeLeft()
    await Promise.all(this.#leaving)
  }

  async #ready(signal: AbortSignal): Promise<Running> {
    if (this.#isStopped) throw stoppedWithHost(this.#name)
    if (this.#running !== undefined && !this.#isStale) return this.#running
    const current = this.#running
    const admission = this.#restarts.admit()
    // While one probes whether it works again, the others don't wait for that.
    const isRefused = !admission.isAdmitted || (this.#starting !== undefined && this.#restarts.isOpen)
    if (current === undefined && isRefused) throw leftAlone(this.#name, this.#restarts, this.#lastError)
    if (this.#starting === undefined) {
      const waitMs = admission.isAdmitted ? admission.waitMs : 0
      this.#starting = (current === undefined ? this.#start(waitMs) : this.#relist(current.peer)).finally(() => {
        this.#starting = undefined
      })
    }
    return waitForStart(this.#starting, signal, this.#name)
  }

  async #start(waitMs: number): Promise<Running> {
    this.#stopStart = new AbortController()
    const { signal } = this.#stopStart
    let peer: McpPeer | undefined
    try {
      await this.#pause(waitMs, signal)
      this.#state = 'starting'
      this.#comeBack.forget()
      const startedAt = performance.now()
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
      if (signal.aborted) throw stoppedWithHost(this.#name)
      this.#running = running
      this.#state = 'ready'
      this.#lastError = undefined
      this.#restarts.started()
      this.#hooks?.onRunning(running)
      // Everybody may have given up waiting for it.
      if (this.#uses === 0) this.#onUnused()
      return running
    } catch (error) {
      if (peer !== undefined) this.#dispose(peer)
      if (signal.aborted) throw error
      this.#state = 'failing'
      if (isRollcallError(error)) this.#lastError = error
      if (isFault(error)) this.#restarts.failed()
      else this.#restarts.refused()
      this.#comeBack.plan()
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
      if (isLoss(error)) this.#drop(peer, error)
      throw error
    }
  }

  #list(peer: McpPeer, signal: AbortSignal, timeoutMs: number): Promise<LiveList> {
    this.#isStale = false
    return this.#starter.list(peer, signal, Math.max(1, timeoutMs))
  }

  #watch(peer: McpPeer): void {
    peer.onNotification((method, params) => {
      if (this.#peerUses.isLeft(peer)) return
      if (method.endsWith('/list_changed')) this.#isStale = true
      this.#hooks?.onNotification(method, isJsonObject(params) ? params : {})
    })
    peer.onClosed((reason) => this.#drop(peer, reason))
  }

  #drop(peer: McpPeer, reason: RollcallError): void {
    if (this.#running?.peer !== peer) return
    this.#running = undefined
    this.#peerUses.leave(peer)
    this.#state = 'failing'
    this.#lastError = reason
    // A server that only forgot the session is a sound one.
    if (reason.data?.sessionLost !== true) this.#restarts.failed()
    this.#hooks?.onLost(reason)
    this.#comeBack.plan()
  }

  /** Lets the back-off pass; it counts as failing until then. */
  async #pause(waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs <= 0) return
    await sleep(waitMs, undefined, { signal }).catch(() => {
      throw stoppedWithHost(this.#name)
    })
  }

  #answer: OnServerRequest = (method, params, signal) => {
    if (this.#hooks === undefined) throw new ServerRequestError(-32_601, `Nobody here answers ${method}.`)
    return this.#hooks.onServerRequest(method, params, signal)
  }

  #dispose(peer: McpPeer): void {
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
}

/** Did the server itself fail, or was it not even asked to start? */
function isFault(error: unknown): boolean {
  return isRollcallError(error) && error.code.startsWith('SERVER_')
}
