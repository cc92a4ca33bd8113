import type { McpClaim } from '@rollcall/host'
import { type Digest, isRollcallError, type Json, type JsonObject, RollcallError, visibleText } from '@rollcall/plugin'
import { createStarter } from '../connect/create-starter.ts'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { isJsonObject } from '../is-json-object.ts'
import type { LiveList, LiveTool } from '../listing/live-list.ts'
import { digestOfPinned } from '../lock/judge-tools.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'
import type { SyncOptions, SyncReport } from '../mcp.ts'
import { Connection } from '../pool/connection.ts'

/** A first start may download a whole package. */
const firstStartMs = 180_000

/**
 * Starts a server of its own for the comparison, lists it and compares it with what is pinned and accepted. An
 * unlisted server is pinned, because a person asked for it; anything else changes only with `accept`. Never rejects.
 */
export async function syncServer(
  claim: McpClaim,
  parts: { readonly mcp: McpSettings; readonly record: ServerRecord },
  options: SyncOptions,
): Promise<{ readonly report: SyncReport; readonly live?: LiveList }> {
  const { appId } = claim
  const { mcp, record } = parts
  const connectTimeoutMs = Math.max(mcp.limits.connectTimeoutMs, firstStartMs)
  const connection = new Connection(appId, createStarter(claim, mcp, { connectTimeoutMs }), { idleMs: mcp.idleMs })
  try {
    const facts = await record.load()
    if (facts.launchChanged && !options.accept) return { report: { appId, status: 'launchChanged', tools: [] } }
    const signal = options.signal ?? new AbortController().signal
    return await connection.use(signal, async ({ peer, live }) => {
      const tools = compare(facts, live)
      const isSame = !facts.launchChanged && tools.every(({ change }) => change === 'same')
      const isUnlisted = facts.entry === undefined && facts.acceptance === undefined
      const isSettled = !options.accept || facts.acceptance?.reviewed === true
      if (facts.entry !== undefined && isSame && isSettled)
        return { live, report: { appId, status: 'unchanged', tools } }
      if (!isUnlisted && !isSame && !options.accept) return { live, report: { appId, status: 'drift', tools } }
      if (mcp.frozen) throw frozen(appId)
      await record.pin(peer, live, { by: options.by, reviewed: options.accept, launch: facts.launch })
      return { live, report: { appId, status: facts.entry === undefined ? 'pinned' : 'accepted', tools } }
    })
  } catch (error) {
    return { report: failed(appId, error) }
  } finally {
    await connection.stop()
  }
}

function compare(facts: ServerFacts, live: LiveList): SyncReport['tools'] {
  const known = baseline(facts)
  const listed = [...live.tools.values()].map((tool) => {
    const change = !known.has(tool.name) ? 'added' : known.get(tool.name) === tool.digest ? 'same' : 'changed'
    return { name: tool.name, change, digest: tool.digest, ...describe(tool) } as const
  })
  const removed = [...known.keys()]
    .filter((name) => !live.tools.has(name))
    .map((name) => ({ name, change: 'removed' }) as const)
  return [...listed, ...removed]
}

/** What both the lock file and the store agree on; undefined for a tool on which they don't. */
function baseline({ entry, acceptance }: ServerFacts): ReadonlyMap<string, Digest | undefined> {
  if (entry === undefined) return new Map(Object.entries(acceptance?.tools ?? {}))
  return new Map(
    entry.tools.map((tool) => {
      const digest = digestOfPinned(tool)
      const isSound = digest === tool.digest && digest === acceptance?.tools[tool.name]
      return [tool.name, isSound ? digest : undefined]
    }),
  )
}

function describe({ definition }: LiveTool): Pick<SyncReport['tools'][number], 'description' | 'readOnlyHint'> {
  const { description } = definition
  const hint = readOnlyHintOf(definition)
  return {
    // For a person who decides: everything that hides is shown.
    ...(typeof description === 'string' && { description: visibleText(description) }),
    ...(hint !== undefined && { readOnlyHint: hint }),
  }
}

function readOnlyHintOf({ annotations }: JsonObject): boolean | undefined {
  const hint: Json | undefined = isJsonObject(annotations) ? annotations.readOnlyHint : undefined
  return typeof hint === 'boolean' ? hint : undefined
}

function failed(appId: string, error: unknown): SyncReport {
  const known = isRollcallError(error)
    ? error
    : new RollcallError('SERVER_PROTOCOL', `${appId} could not be listed.`, {
        hint: 'Look at its own log.',
        cause: error,
      })
  const { code, message, hint } = known
  return { appId, status: 'failed', tools: [], error: { code, message, hint } }
}

function frozen(appId: string): RollcallError {
  return new RollcallError('PROVIDER_HELD', `${appId} is not pinned: nothing may be pinned here.`, {
    hint: `Run "rollcall sync ${appId}" where CI is not set, and commit the lock file.`,
  })
}
