import type { Capability, FeatureAnswer, FeatureRequest, McpClaim, ProviderCall } from '@rollcall/host'
import { type Json, RollcallError, type ToolResult, visibleText } from '@rollcall/plugin'
import type { LockEntry } from '../lock/lock-entry.ts'
import { callingSessionOf } from '../pool/calling-session.ts'
import { lackingIn } from '../pool/capability-class.ts'
import type { ConnectionPool } from '../pool/connection-pool.ts'
import { isLogLevel } from '../pool/log-level.ts'
import { type PoolKey, poolKeyOf } from '../pool/pool-key.ts'
import { callTool } from './call-tool.ts'
import type { DriftCheck } from './drift-check.ts'
import { repeatOnce } from './repeat-once.ts'
import { sendFeature } from './send-feature.ts'

const invalidParams = -32_602
/** Requests that only read; a subscription is none, and is renewed with its server. */
const reading: ReadonlySet<string> = new Set(['resources/list', 'resources/read', 'prompts/get', 'completion/complete'])

/** What the calls to one server need. */
export interface ServerCallsParts {
  readonly pool: ConnectionPool
  readonly drift: DriftCheck
  readonly maxTotalTimeoutMs: number
}

/** Everything that callers ask of one server: on the connection that fits them, and only as what was accepted. */
export class ServerCalls {
  readonly #claim: McpClaim
  readonly #parts: ServerCallsParts
  #needs: ReadonlyMap<string, readonly Capability[]> | undefined

  constructor(claim: McpClaim, parts: ServerCallsParts) {
    this.#claim = claim
    this.#parts = parts
  }

  /** Takes what is pinned now: it says what callers of each tool must be able to do. */
  learn(entry: LockEntry | undefined): void {
    this.#needs = new Map(entry?.tools.map(({ name, needs }) => [name, needs]))
  }

  /** @throws {RollcallError} as `OpenProvider.call` says, and `CAPABILITY_MISSING` when nothing was sent. */
  async call(tool: string, args: Json, call: ProviderCall): Promise<ToolResult> {
    const { pool, drift, maxTotalTimeoutMs } = this.#parts
    // A held tool is no reason to start a server.
    await drift.assertOffered('tool', tool)
    const key = poolKeyOf(this.#claim, call)
    const { capabilityClass } = key
    await this.#assertAble(tool, key)
    const isSafe = call.effect !== 'write'
    return repeatOnce(call, { isSafe, maxTotalTimeoutMs }, ({ signal, begin }) =>
      pool.use(key, callingSessionOf(call), signal, async (work) => {
        await drift.assertRunning('tool', tool, { ...work, capabilityClass })
        const { timeoutMs, ...total } = begin()
        return callTool(this.#claim.appId, work, { tool, args, call: { ...call, timeoutMs }, ...total })
      }),
    )
  }

  /** @throws {RollcallError} as `OpenProvider.request` says. */
  async request(request: FeatureRequest, call: ProviderCall): Promise<FeatureAnswer> {
    const { pool, drift, maxTotalTimeoutMs } = this.#parts
    const key = poolKeyOf(this.#claim, call)
    const session = callingSessionOf(call)
    if (request.method === 'logging/setLevel') {
      const { level } = request.params
      if (!isLogLevel(level)) return { ok: false, error: { code: invalidParams, message: 'There is no such level.' } }
      // No reason to start a server: it is told when it runs.
      pool.setLogLevel(key, session, level)
      return { ok: true, result: {} }
    }
    const prompt = request.method === 'prompts/get' ? String(request.params.name) : undefined
    await (prompt === undefined ? drift.assertLaunch() : drift.assertOffered('prompt', prompt))
    const { capabilityClass } = key
    const isSafe = reading.has(request.method)
    return repeatOnce(call, { isSafe, maxTotalTimeoutMs }, ({ signal, begin }) =>
      pool.use(key, session, signal, async (work) => {
        if (prompt !== undefined) await drift.assertRunning('prompt', prompt, { ...work, capabilityClass })
        const { timeoutMs, ...total } = begin()
        return sendFeature(work, session, request, { call: { ...call, timeoutMs }, ...total })
      }),
    )
  }

  async #assertAble(tool: string, key: PoolKey): Promise<void> {
    if (this.#needs === undefined) this.learn((await this.#parts.drift.assertLaunch()).entry)
    const lacking = lackingIn(key.capabilityClass, this.#needs?.get(tool) ?? [])
    if (lacking === undefined) return
    const message = `The tool ${visibleText(tool)} of ${this.#claim.appId} needs ${lacking}, which its caller can not do; nothing was sent.`
    throw new RollcallError('CAPABILITY_MISSING', message, {
      hint: 'Call it from a client that can, under a profile that allows it.',
    })
  }
}
