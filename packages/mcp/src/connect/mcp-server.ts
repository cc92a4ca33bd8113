import type { Listing, McpClaim, OpenProvider, ProviderCall } from '@rollcall/host'
import { type Finding, isRollcallError, type Json, RollcallError, type ToolResult } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { checkDeclaration } from '../declaration/resolve-server.ts'
import type { JudgedTool } from '../lock/judge-tools.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'
import type { ServerStatus, SyncOptions, SyncReport } from '../mcp.ts'
import { CallQueue } from '../pool/call-queue.ts'
import { ConnectionPool, poolKeyOf } from '../pool/connection-pool.ts'
import { syncServer } from '../sync/sync-server.ts'
import { buildListing } from './build-listing.ts'
import { callTool } from './call-tool.ts'
import { createStarter } from './create-starter.ts'
import { DriftCheck } from './drift-check.ts'
import { pinServer } from './pin-server.ts'

const places = { inFlight: 8, waiting: 64 }

/** What a server needs besides its claim. */
export interface McpServerParts {
  readonly mcp: McpSettings
  readonly record: ServerRecord
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
  readonly #queue: CallQueue
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  readonly #syncs = new Set<Promise<unknown>>()
  #notices: readonly Finding[] = []
  /** Why its first list failed; kept until somebody syncs it. */
  #failure: RollcallError | undefined
  #pinning: Promise<void> | undefined
  /** What the host was told last about which tools are held. */
  #told = ''

  constructor(claim: McpClaim, parts: McpServerParts) {
    this.claim = claim
    this.#parts = parts
    this.#drift = new DriftCheck(claim.appId, parts.record)
    const starter = createStarter(claim, parts.mcp, {
      connectTimeoutMs: parts.mcp.limits.connectTimeoutMs,
      // Asked right before every start, so that nothing else can start a changed launch.
      assertMayStart: async () => void (await this.#drift.assertLaunch()),
    })
    this.#pool = new ConnectionPool(claim.appId, starter, { idleMs: parts.mcp.idleMs })
    this.#queue = new CallQueue(claim.appId, places)
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
    const common = { claim, timeoutMs: mcp.limits.callTimeoutMs, ...(missing !== undefined && { missing }) }
    // Somebody may have accepted something else meanwhile, here or in another process.
    this.#drift.renew()
    if (isRollcallError(facts)) {
      const lost = { launch: record.launch(), launchChanged: false, isPending: false, notices: [] }
      return buildListing({ ...common, ...lost, lockFault: facts, state: this.#describe() })
    }
    if (facts.entry === undefined && missing === undefined && !facts.launchChanged) this.#pinSoon(facts)
    const { launch, launchChanged } = facts
    const tools = this.#drift.judge(facts)
    this.#told = summarise(tools)
    const isPending = this.#pinning !== undefined
    const notices = [...this.#notices, ...(this.#drift.live?.findings ?? [])]
    const state = this.#describe()
    return buildListing({ ...common, launch, launchChanged, isPending, notices, state, ...(tools && { tools }) })
  }

  async call(tool: string, args: Json, call: ProviderCall): Promise<ToolResult> {
    // A held tool is no reason to start a server.
    await this.#drift.assertOffered(tool)
    const leave = await this.#queue.enter(call.principal.id, call.signal)
    try {
      const connection = this.#pool.get(poolKeyOf(this.claim, call))
      return await connection.use(call.signal, async ({ peer, live }) => {
        await this.#drift.assertRunning(tool, live, (tools) => this.#tell(tools))
        const { maxTotalTimeoutMs } = this.#parts.mcp.limits
        return callTool(this.claim.appId, peer, { tool, args, call, maxTotalTimeoutMs })
      })
    } finally {
      leave()
    }
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async sync(options: SyncOptions): Promise<SyncReport> {
    const { mcp, record } = this.#parts
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])])
    const syncing = syncServer(this.claim, { mcp, record }, { ...options, signal })
    this.#syncs.add(syncing)
    const { report, live } = await syncing.finally(() => this.#syncs.delete(syncing))
    if (live !== undefined) {
      this.#failure = undefined
      this.#drift.see(live)
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
    await Promise.all([this.#pool.stop(), this.#pinning, ...this.#syncs])
    this.#listeners.clear()
    this.#parts.onDisposed(this)
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
      const key = { capabilityClass: '{}', subject: 'operator', isolation: 'shared' }
      const pinned = await pinServer(this.claim.appId, this.#pool.get(key), { ...this.#parts, launch, signal })
      this.#drift.see(pinned.live)
      this.#notices = [pinned.finding]
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

  /** The host learns of every tool that is held from now on, not only of the one that was called. */
  #tell(tools: readonly JudgedTool[] | undefined): void {
    if (summarise(tools) !== this.#told) this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** A missing value holds the tools; a launch that is refused costs them. */
async function missingOf(claim: McpClaim, mcp: McpSettings): Promise<RollcallError | undefined> {
  try {
    await checkDeclaration(claim, mcp)
    return undefined
  } catch (error) {
    if (isRollcallError(error, 'SECRET_MISSING') || isRollcallError(error, 'VARIABLE_MISSING')) return error
    throw error
  }
}

function onlyLockFault(error: unknown): RollcallError {
  if (isRollcallError(error, 'LOCK_INVALID')) return error
  throw error
}

function summarise(tools: readonly JudgedTool[] | undefined): string {
  return JSON.stringify(tools?.map(({ name, fault }) => [name, fault]) ?? null)
}

function unexpected(appId: string, cause: unknown): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${appId} could not be listed.`, {
    hint: `Run "rollcall sync ${appId}".`,
    cause,
  })
}
