import type { Listing, McpClaim, OpenProvider, ProviderCall } from '@rollcall/host'
import { type Finding, isRollcallError, type Json, RollcallError, type ToolResult, visibleText } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { checkDeclaration } from '../declaration/resolve-server.ts'
import type { LiveList } from '../listing/live-list.ts'
import { type JudgedTool, judgeTools } from '../lock/judge-tools.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'
import type { ServerStatus, SyncReport } from '../mcp.ts'
import { CallQueue } from '../pool/call-queue.ts'
import { ConnectionPool, poolKeyOf } from '../pool/connection-pool.ts'
import { type SyncOptions, syncServer } from '../sync/sync-server.ts'
import { buildListing } from './build-listing.ts'
import { callTool } from './call-tool.ts'
import { createStarter } from './create-starter.ts'
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
  readonly #pool: ConnectionPool
  readonly #queue: CallQueue
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  #live: LiveList | undefined
  #notices: readonly Finding[] = []
  /** Why its first list failed; kept until somebody syncs it. */
  #failure: RollcallError | undefined
  #pinning: Promise<void> | undefined
  /** The tools that were free when this list was compared. */
  #cleared: { readonly live: LiveList; readonly tools: ReadonlySet<string> } | undefined
  /** What the host was told last about which tools are held. */
  #told = ''

  constructor(claim: McpClaim, parts: McpServerParts) {
    this.claim = claim
    this.#parts = parts
    const starter = createStarter(claim, parts.mcp, {
      connectTimeoutMs: parts.mcp.limits.connectTimeoutMs,
      // Asked right before every start, so that nothing else can start a changed launch.
      assertMayStart: async () => void (await this.#factsForStart()),
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
    if (isRollcallError(facts)) {
      const lost = { launch: record.launch(), launchChanged: false, isPending: false, notices: [] }
      return buildListing({ ...common, ...lost, lockFault: facts, state: this.#describe() })
    }
    if (facts.entry === undefined && missing === undefined && !facts.launchChanged) this.#pinSoon(facts)
    const { launch, launchChanged } = facts
    const tools = this.#judge(facts)
    this.#told = summarise(tools)
    const isPending = this.#pinning !== undefined
    const notices = [...this.#notices, ...(this.#live?.findings ?? [])]
    const state = this.#describe()
    return buildListing({ ...common, launch, launchChanged, isPending, notices, state, ...(tools && { tools }) })
  }

  async call(tool: string, args: Json, call: ProviderCall): Promise<ToolResult> {
    // A held tool is no reason to start a server.
    if (!this.#isCleared(tool, this.#live)) this.#checkFree(tool, this.#judge(await this.#factsForStart()))
    const leave = await this.#queue.enter(call.principal.id, call.signal)
    try {
      const connection = this.#pool.get(poolKeyOf(this.claim, call))
      return await connection.use(call.signal, async ({ peer, live }) => {
        if (!this.#isCleared(tool, live)) await this.#compare(tool, live)
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
    const { report, live } = await syncServer(this.claim, { mcp, record }, options)
    if (live !== undefined) {
      this.#cleared = undefined
      this.#failure = undefined
      this.#live = live
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
    await Promise.all([this.#pool.stop(), this.#pinning])
    this.#listeners.clear()
    this.#parts.onDisposed(this)
  }

  /** @throws {RollcallError} `LAUNCH_CHANGED`, or `DEFINITION_CHANGED` when the lock file can not be read. */
  async #factsForStart(): Promise<ServerFacts> {
    const facts = await this.#load()
    if (facts.launchChanged) throw launchChanged(this.claim.appId)
    return facts
  }

  async #load(): Promise<ServerFacts> {
    try {
      return await this.#parts.record.load()
    } catch (cause) {
      if (!isRollcallError(cause, 'LOCK_INVALID')) throw cause
      throw new RollcallError('DEFINITION_CHANGED', `${this.claim.appId} can not be compared: ${cause.message}`, {
        hint: cause.hint,
        cause,
      })
    }
  }

  /** Right before a call is sent: is what runs now what was accepted? */
  async #compare(tool: string, live: LiveList): Promise<void> {
    this.#live = live
    const facts = await this.#load()
    const tools = this.#judge(facts)
    // The host learns of every tool that is held from now on, not only of the one that was called.
    if (summarise(tools) !== this.#told) this.#notify()
    if (facts.launchChanged) throw launchChanged(this.claim.appId)
    this.#checkFree(tool, tools)
    this.#cleared = { live, tools: new Set(tools?.filter(({ fault }) => fault === undefined).map(({ name }) => name)) }
  }

  /** What was compared once need not be compared again while the same process lists the same. */
  #isCleared(tool: string, live: LiveList | undefined): boolean {
    return live !== undefined && this.#cleared?.live === live && this.#cleared.tools.has(tool)
  }

  #checkFree(tool: string, tools: readonly JudgedTool[] | undefined): void {
    const judged = tools?.find(({ name }) => name === tool)
    if (judged !== undefined && judged.fault === undefined) return
    const { appId } = this.claim
    throw new RollcallError(
      'DEFINITION_CHANGED',
      `The tool ${visibleText(tool)} of ${appId} is not what was accepted; nothing was sent.`,
      {
        hint: `Look at it, then run "rollcall sync --accept ${appId}".`,
      },
    )
  }

  #judge({ entry, acceptance }: ServerFacts): readonly JudgedTool[] | undefined {
    return entry && judgeTools(entry, acceptance, this.#live)
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
      this.#live = pinned.live
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

function launchChanged(appId: string): RollcallError {
  return new RollcallError(
    'LAUNCH_CHANGED',
    `${appId} would be launched otherwise than was accepted; it was not started.`,
    {
      hint: `Compare the declaration, then run "rollcall sync --accept ${appId}".`,
    },
  )
}

function unexpected(appId: string, cause: unknown): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${appId} could not be listed.`, {
    hint: `Run "rollcall sync ${appId}".`,
    cause,
  })
}
