import type { SyncReport } from '@rollcall/mcp'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { wrap } from '../output/wrap.ts'
import { serversOf, syncServers } from '../sync-servers.ts'

/** `rollcall sync`: lists servers and compares them with what was accepted; with `--accept` takes what they are now. */
export async function sync(
  context: CommandContext,
  ids: readonly string[],
  options: { readonly accept?: boolean },
): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off', mayDownload: true })
  const { screen, signal } = context
  const servers = serversOf(session.host.report(), ids)
  const accept = options.accept === true
  const reports = await syncServers(session.mcp, servers, { accept, signal, screen })
  screen.data({ servers: reports })
  screen.print(...(reports.length === 0 ? ['  No MCP servers to sync.'] : asLines(reports, context)))
  if (signal.aborted) return exitCode.interrupted
  const has = (...statuses: readonly SyncReport['status'][]) => reports.some(({ status }) => statuses.includes(status))
  if (has('drift', 'failed')) return exitCode.negative
  return has('launchChanged') ? exitCode.due : exitCode.fine
}

function asLines(reports: readonly SyncReport[], { screen }: CommandContext): readonly string[] {
  const { paint, width } = screen
  const rows = reports.map((report) => {
    const of = (change: string) => report.tools.filter((tool) => tool.change === change).length
    const changes = (['added', 'removed', 'changed'] as const).flatMap((change) =>
      of(change) === 0 ? [] : [`${of(change)} ${change}`],
    )
    return [
      report.appId,
      { text: words[report.status], paint: isFine(report) ? paint.green : paint.yellow },
      String(report.tools.filter(({ change }) => change !== 'removed').length),
      changes.join(', ') || '–',
    ]
  })
  const columns = [
    { title: 'SERVER' },
    { title: 'STATUS' },
    { title: 'TOOLS', align: 'right' as const },
    { title: 'CHANGES', least: 12 },
  ]
  return [
    ...renderTable({ width, paintTitle: paint.dim, columns, rows }),
    ...reports.flatMap((report) => details(report, width)),
  ]
}

function details(report: SyncReport, width: number): readonly string[] {
  if (report.error !== undefined) {
    const { code, message, hint } = report.error
    const who = message.startsWith(report.appId) ? '' : `${report.appId}: `
    const texts = [`${who}${oneLine(message)} (${code})`, oneLine(hint)]
    return ['', ...texts.flatMap((text) => wrap(text, width - 4)).map((line) => `    ${line}`)]
  }
  if (isFine(report)) return []
  const changed = report.tools.filter(({ change }) => change !== 'same')
  const shown = changed.slice(0, 12).map(({ name, change }) => `    ${change.padEnd(8)} ${oneLine(name)}`)
  const more = changed.length > 12 ? [`    … ${changed.length - 12} more`] : []
  return ['', ...shown, ...more, `    Look at it, then: rollcall sync --accept ${report.appId}`]
}

const isFine = ({ status }: SyncReport) => status === 'pinned' || status === 'unchanged' || status === 'accepted'

const words = {
  pinned: 'pinned',
  unchanged: 'unchanged',
  accepted: 'accepted',
  drift: 'changed, held',
  launchChanged: 'started otherwise, held',
  failed: 'failed',
}
