import type {
  FeatureAnswer,
  FeatureRequest,
  Listing,
  McpClaim,
  OpenProvider,
  OutboundFetch,
  ProviderCall,
} from '@rollcall/host'
import { type Finding, isRollcallError, type Json, RollcallError, type ToolResult } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'
import type { ServerStatus, SyncOptions, SyncReport } from '../mcp.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import type { CallQueue } from '../pool/call-queue.ts'
import type { ConnectionPool } from '../pool/connection-pool.ts'
import { syncServer } from '../sync/sync-server.ts'
import { buildFeatures } from './build-features.ts'
import { buildListing } from './build-listing.ts'
import { createServerPool } from './create-server-pool.ts'
import { DriftCheck, type Judgement, type RunningAs } from './drift-check.ts'
import { driftFindings } from './drift-findings.ts'
import { LaterOnce } from './later-once.ts'
import { missingOf } from './missing-of.ts'
import { pinServer } from './pin-server.ts'
import { ServerCalls } from './server-calls.ts'

/** What a server needs besides its claim. */
export interface McpServerParts {
  readonly mcp: McpSettings
  readonly record: ServerRecord
  /** The host's own, through which every connection goes. */
  readonly fetch: OutboundFetch
  /** Lets at most a few servers be listed for the first time at once. */
  readonly pinQueue: CallQueue
  onDisposed(server: McpServer): void
}

/**
 * One declared server as a provider. Its list comes from the lock file; it starts at its first call, and what it lists
 * then is compared before that call is sent.
 */
export class McpServer implements OpenProvider {
  readonly claim: McpClaim
  readonly #parts: McpServerParts
  readonly #drift: DriftCheck
  readonly #pool: ConnectionPool
  readonly #calls: ServerCalls
  readonly #refresh = new LaterOnce(() => this.#relist(), { afterMs: 250, apartMs: 5_000 })
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  readonly #syncs = new Set<Promise<unknown>>()
  #notices: readonly Finding[] = []
  /** Why its first list failed; kept until somebody syncs it. */
  #failure: RollcallError | undefined
  #pinning: Promise<void> | undefined
  #isKept = false
  /** Which revisions it is pinned to speak. */
  #era: McpPeer['era'] | undefined
  /** What the host was told last about what is held. */
  #told = ''

  constructor(claim: McpClaim, parts: McpServerParts) {
    this.claim = claim
    this.#parts = parts
    this.#drift = new DriftCheck(claim, {
      record: parts.record,
      mcp: parts.mcp,
      onJudged: (judgement) => this.#tell(judgement),
      onAccepted: () => this.#notify(),
    })
    this.#pool = createServerPool(claim, {
      ...parts,
      drift: this.#drift,
      pinnedEra: () => this.#era,
      onListChanged: () => this.#refresh.ask(),
    })
    this.#calls = new ServerCalls(claim, {
      pool: this.#pool,
      drift: this.#drift,
      maxTotalTimeoutMs: parts.mcp.limits.maxTotalTimeoutMs,
    })
  }

  async list(signal: AbortSignal): Promise<Listing> {
    if (this.#failure !== undefined) throw this.#failure
    const { claim } = this
    const { mcp, record } = this.#parts
    const pinning = this.#pinning
    const missing = await missingOf(claim, mcp)
    const facts = await record.load().catch((error: unknown) => onlyLockFault(error))
    // The first list ended while this was read, so what was read is old.
    if (pinning !== undefined && this.#pinning === undefined) return this.list(signal)
    const timeoutMs = claim.server.callTimeoutMs ?? mcp.limits.callTimeoutMs
    const common = { claim, timeoutMs, ...(missing !== undefined && { missing }) }
    // Somebody may have accepted something else meanwhile, here or in another process.
    this.#drift.renew()
    if (isRollcallError(facts)) {
      const lost = { launch: record.launch(), launchChanged: false, isPending: false, notices: [] }
      return buildListing({ ...common, ...lost, lockFault: facts, state: this.#describe() })
    }
    if (facts.entry === undefined && missing === undefined && !facts.launchChanged) this.#pinSoon(facts)
    this.#calls.learn(facts.entry)
    if (facts.entry !== undefined && missing === undefined && !facts.launchChanged) this.#keepAlive()
    this.#era = facts.entry?.protocol?.era
    const judgement = this.#drift.judge(facts)
    this.#told = summarise(judgement)
    return buildListing({ ...common, ...this.#offered(facts, judgement), state: this.#describe() })
  }

  call(tool: string, args: Json, call: ProviderCall): Promise<ToolResult> {
    return this.#calls.call(tool, args, call)
  }

  request(request: FeatureRequest, call: ProviderCall): Promise<FeatureAnswer> {
    return this.#calls.request(request, call)
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async sync(options: SyncOptions): Promise<SyncReport> {
    const { mcp, record, fetch } = this.#parts
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])])
    const syncing = syncServer(this.claim, { mcp, record, fetch }, { ...options, signal })
    this.#syncs.add(syncing)
    const { report, live } = await syncing.finally(() => this.#syncs.delete(syncing))
    if (live !== undefined) {
      this.#failure = undefined
      this.#drift.restart(live)
      // A process that runs since before may still list what was accepted no longer.
      if (report.status === 'accepted') this.#pool.renew()
    }
    this.#notify()
    return report
  }

  status(): ServerStatus {
    const { appId, server } = this.claim
    const error = this.#failure && { lastError: { code: this.#failure.code, message: this.#failure.message } }
    return { appId, transport: 'command' in server ? 'stdio' : 'http', ...error, ...this.#pool.status() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#refresh.stop()
    await Promise.all([this.#pool.stop(), this.#pinning, ...this.#syncs])
    this.#listeners.clear()
    this.#parts.onDisposed(this)
  }

  /** The host learns what a running server lists now, without a call. */
  async #relist(): Promise<void> {
    const all: RunningAs[] = []
    await this.#pool.relist((running, { capabilityClass }) => all.push({ ...running, capabilityClass }))
    for (const running of all) {
      // Of a lock file that can not be read the next list tells.
      await this.#drift.compare(running).catch(onlyUncompared)
    }
    if (!this.#closing.signal.aborted) this.#notify()
  }

  /** Starts with the host what is to be kept alive, once it is known to be what was accepted. */
  #keepAlive(): void {
    const { server, words } = this.claim
    const isShared = words.isolation === undefined || words.isolation === 'shared'
    if (this.#isKept || server.keepAlive !== true || !isShared || this.#closing.signal.aborted) return
    this.#isKept = true
    this.#pool.common().start()
  }

  #pinSoon(facts: ServerFacts): void {
    const { mcp } = this.#parts
    const isWanted = this.claim.pin === 'first-use' && mcp.pinning === 'background' && !mcp.frozen
    if (!isWanted || this.#pinning !== undefined || this.#closing.signal.aborted) return
    this.#pinning = this.#pin(facts).finally(() => {
      this.#pinning = undefined
      if (!this.#closing.signal.aborted) this.#notify()
    })
  }

  /** Never rejects: a failure is kept for the next list. */
  async #pin({ launch }: ServerFacts): Promise<void> {
    const { signal } = this.#closing
    try {
      const pinned = await pinServer(this.claim, this.#pool.common().connection, {
        ...this.#parts,
        launch,
        signal,
      })
      this.#drift.restart(pinned.live)
      this.#notices = pinned.findings
    } catch (error) {
      if (signal.aborted) return
      this.#failure = isRollcallError(error) ? error : unexpected(this.claim.appId, error)
      this.#parts.mcp.logger.warn('server not listed', { provider: this.claim.appId, code: this.#failure.code })
    }
  }

  #describe(): string {
    if (this.#pinning !== undefined) return 'starting'
    const { state } = this.#pool.status()
    return { idle: 'not started', starting: 'starting', ready: 'running', failing: 'failed', stopped: 'stopped' }[state]
  }

  #offered(facts: ServerFacts, judgement: Judgement | undefined) {
    const { claim } = this
    const { launch, launchChanged, entry, acceptance } = facts
    const { live } = this.#drift
    const isPending = this.#pinning !== undefined
    const noticed = [...this.#notices, ...(live?.findings ?? [])]
    const common = { launch, launchChanged, isPending }
    if (entry === undefined || judgement === undefined) return { ...common, notices: noticed }
    const { tools, prompts } = judgement
    return {
      ...common,
      tools,
      features: buildFeatures({ claim, entry, acceptance, prompts, live }),
      notices: [...noticed, ...driftFindings(claim.appId, facts, judgement, live)],
    }
  }

  /** The host learns of everything that is held from now on, not only of what was called. */
  #tell(judgement: Judgement | undefined): void {
    if (summarise(judgement) !== this.#told) this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

function onlyLockFault(error: unknown): RollcallError {
  if (isRollcallError(error, 'LOCK_INVALID')) return error
  throw error
}

function onlyUncompared(error: unknown): void {
  if (!isRollcallError(error, 'DEFINITION_CHANGED')) throw error
}

function summarise(judgement: Judgement | undefined): string {
  const { tools = [], prompts = [] } = judgement ?? {}
  return JSON.stringify([...tools, ...prompts].map(({ name, fault, diff }) => [name, fault, diff]))
}

function unexpected(appId: string, cause: unknown): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${appId} could not be listed.`, {
    hint: `Run "rollcall sync ${appId}".`,
    cause,
  })
}
