import type { SyncReport } from '@rollcall/mcp'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { wrap } from '../output/wrap.ts'
import { serversOf, syncServers } from '../sync-servers.ts'

/**
 * `rollcall sync`: lists servers and compares them with what was accepted; with `--accept` takes what they are now, with
 * `--check` changes nothing and starts only what was accepted, without its secrets.
 */
export async function sync(
  context: CommandContext,
  ids: readonly string[],
  options: { readonly accept?: boolean; readonly check?: boolean },
): Promise<ExitCode> {
  const { accept = false, check = false } = options
  if (accept && check) {
    throw new RollcallError('USAGE', '--accept and --check exclude each other.', {
      hint: 'Look with --check first, then take it with --accept.',
    })
  }
  await using session = await openSession(context, { pinning: 'off', mayDownload: true, readOnly: check })
  const { screen, signal } = context
  const servers = serversOf(session.host.report(), ids)
  const reports = await syncServers(session.mcp, servers, { accept, check, signal, screen })
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
  if (report.status === 'launchChanged') {
    const what = 'It would be launched otherwise than was accepted, so it was not started.'
    return ['', ...wrap(what, width - 4).map((line) => `    ${line}`), acceptLine(report)]
  }
  const changes = changesOf(report)
  const shown = changes.slice(0, 12).flatMap((change) => asChange(change, width))
  const more =
    changes.length > 12 ? [`    … ${changes.length - 12} more; all of them: rollcall sync ${report.appId} --json`] : []
  return ['', ...shown, ...more, acceptLine(report)]
}

interface Change {
  readonly what: string
  readonly diff: readonly string[]
}

function changesOf({ tools, others = [] }: SyncReport): readonly Change[] {
  const ofTools = tools
    .filter(({ change }) => change !== 'same')
    .map(({ name, change, compatible, diff = [] }) => ({
      what: `${change.padEnd(8)} ${oneLine(name)}${whatBecomes(change, compatible === true)}`,
      diff,
    }))
  const ofOthers = others.map(({ kind, name, change, diff = [] }) => ({
    what: `${change.padEnd(8)} ${kind === 'prompt' ? 'prompt ' : ''}${oneLine(name)}`,
    diff,
  }))
  return [...ofTools, ...ofOthers]
}

/** Until somebody accepts it. */
function whatBecomes(change: SyncReport['tools'][number]['change'], compatible: boolean): string {
  if (change === 'removed') return ''
  return compatible ? ' (old arguments are still valid: models see what was accepted, writes ask)' : ' (held)'
}

function asChange({ what, diff }: Change, width: number): readonly string[] {
  const lines = diff.flatMap((line) => wrap(oneLine(line), width - 15))
  return [`    ${what}`, ...lines.map((line) => `             ${line}`)]
}

const acceptLine = ({ appId }: SyncReport) => `    Look at it, then: rollcall sync --accept ${appId}`

const isFine = ({ status }: SyncReport) => status === 'pinned' || status === 'unchanged' || status === 'accepted'

const words = {
  pinned: 'pinned',
  unchanged: 'unchanged',
  accepted: 'accepted',
  drift: 'changed',
  launchChanged: 'started otherwise, held',
  failed: 'failed',
}
