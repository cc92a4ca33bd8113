import type { McpClaim, OutboundFetch } from '@rollcall/host'
import { isRollcallError, RollcallError } from '@rollcall/plugin'
import { createStarter } from '../connect/create-starter.ts'
import { listAsAll } from '../connect/list-as.ts'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import type { LiveList } from '../listing/live-list.ts'
import type { ServerFacts, ServerRecord } from '../lock/server-record.ts'
import { toLockEntry } from '../lock/to-lock-entry.ts'
import type { SyncOptions, SyncReport } from '../mcp.ts'
import { Connection } from '../pool/connection.ts'
import { compareOthers } from './compare-others.ts'
import { compareTools, withUnseen } from './compare-tools.ts'

/** A first start may download a whole package. */
const firstStartMs = 180_000

/** What one comparison found, and what the server listed for it. */
export interface Synced {
  readonly report: SyncReport
  readonly live?: LiveList
}

/**
 * Starts a server of its own for the comparison, lists it for clients of every kind and compares it with what is pinned
 * and accepted. An unlisted server is pinned, because a person asked for it; anything else changes only with `accept`,
 * and nothing with `check`, which tells the server none of its secrets. Never rejects.
 */
export async function syncServer(
  claim: McpClaim,
  parts: { readonly mcp: McpSettings; readonly record: ServerRecord; readonly fetch: OutboundFetch },
  options: SyncOptions,
): Promise<Synced> {
  const { appId } = claim
  const { record, fetch } = parts
  const isCheck = options.check === true
  const mcp = isCheck ? { ...parts.mcp, withholdSecrets: true } : parts.mcp
  const connectTimeoutMs = Math.max(mcp.limits.connectTimeoutMs, firstStartMs)
  const connection = new Connection(appId, createStarter(claim, mcp, { connectTimeoutMs, fetch }), {
    idleMs: mcp.idleMs,
  })
  try {
    const facts = await record.load()
    const isAcceptedLaunch = !facts.launchChanged && (!isCheck || facts.acceptance !== undefined)
    if (!isAcceptedLaunch && !options.accept) return { report: { appId, status: 'launchChanged', tools: [] } }
    const signal = options.signal ?? new AbortController().signal
    const startedAt = performance.now()
    return await connection.use(signal, async (running) => {
      const startedInMs = performance.now() - startedAt
      const seen = await listAsAll(claim, running, { mcp, fetch, signal, startedInMs })
      const listed = withUnseen(facts.entry, seen)
      const tools = compareTools(facts, listed)
      const entry = toLockEntry(claim, running.peer, listed, facts.launch)
      const others = compareOthers(facts, entry)
      const report = { appId, tools, ...(others.length > 0 && { others }) }
      const status = statusOf(facts, report, options)
      if (status === 'pinned' || status === 'accepted') {
        if (mcp.frozen) throw frozen(appId)
        await record.pin(entry, { by: options.by, reviewed: options.accept, replace: options.accept })
      }
      return { live: running.live, report: { ...report, status } }
    })
  } catch (error) {
    return { report: failed(appId, error, isCheck && hasSecrets(claim)) }
  } finally {
    await connection.stop()
  }
}

function statusOf(
  { entry, acceptance, launchChanged }: ServerFacts,
  { tools, others = [] }: Pick<SyncReport, 'tools' | 'others'>,
  { accept, check = false }: SyncOptions,
): SyncReport['status'] {
  const isSame = !launchChanged && others.length === 0 && tools.every(({ change }) => change === 'same')
  const isUnlisted = entry === undefined && acceptance === undefined
  if (check) return isSame && entry !== undefined ? 'unchanged' : 'drift'
  const isSettled = !accept || acceptance?.reviewed === true
  if (entry !== undefined && isSame && isSettled) return 'unchanged'
  if (!isUnlisted && !isSame && !accept) return 'drift'
  return entry === undefined ? 'pinned' : 'accepted'
}

function failed(appId: string, error: unknown, isWithheld: boolean): SyncReport {
  const known = isRollcallError(error)
    ? error
    : new RollcallError('SERVER_PROTOCOL', `${appId} could not be listed.`, {
        hint: 'Look at its own log.',
        cause: error,
      })
  const { code, message } = known
  const hint = isWithheld
    ? `A check tells it none of its secrets, which it may need to start. ${known.hint}`
    : known.hint
  return { appId, status: 'failed', tools: [], error: { code, message, hint } }
}

function hasSecrets({ server }: McpClaim): boolean {
  const given = 'command' in server ? server.env : server.headers
  return (
    ('auth' in server && server.auth !== undefined) ||
    Object.values(given ?? {}).some((value) => typeof value !== 'string')
  )
}

function frozen(appId: string): RollcallError {
  return new RollcallError('PROVIDER_HELD', `${appId} is not pinned: nothing may be pinned here.`, {
    hint: `Run "rollcall sync ${appId}" where CI is not set, and commit the lock file.`,
  })
}
