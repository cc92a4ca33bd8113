import { localUser, type Report } from '@rollcall/host'
import type { Mcp, SyncReport } from '@rollcall/mcp'
import { RollcallError } from '@rollcall/plugin'
import type { Screen } from './output/screen.ts'

/** Servers that are started at the same time. */
const atOnce = 4

/**
 * The appIds of servers to sync: those named, or all.
 *
 * @throws {RollcallError} `PROVIDER_UNKNOWN` for a name that is no server's.
 */
export function serversOf(report: Report, named: readonly string[]): readonly string[] {
  const servers = report.providers
    .filter(({ kind, state }) => kind === 'mcp' && state !== 'skipped' && state !== 'rejected')
    .map(({ appId }) => appId)
  const unknown = named.find((id) => !servers.includes(id))
  if (unknown === undefined) return named.length > 0 ? named : servers
  throw new RollcallError('PROVIDER_UNKNOWN', `"${unknown}" is no MCP server of this configuration.`, {
    hint: servers.length === 0 ? 'It has none: rollcall add <id> <npm package>' : `Its servers: ${servers.join(', ')}.`,
  })
}

/** Lists servers, a few at a time, with a line of progress each; reports in the order of `ids`. */
export async function syncServers(
  mcp: Mcp,
  ids: readonly string[],
  options: {
    readonly accept: boolean
    readonly check?: boolean
    readonly signal: AbortSignal
    readonly screen: Screen
  },
): Promise<readonly SyncReport[]> {
  const reports = new Map<string, SyncReport>()
  const { accept, check = false, signal } = options
  const queue = ids.values()
  const worker = async () => {
    for (const id of queue) {
      reports.set(id, await mcp.sync(id, { accept, check, by: localUser.id, signal }))
      const { notePaint } = options.screen
      options.screen.note(notePaint.dim(`  ${reports.size} of ${ids.length} · ${id}`))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, worker))
  return ids.flatMap((id) => reports.get(id) ?? [])
}
