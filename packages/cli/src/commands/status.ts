import { localUser, type ToolView } from '@rollcall/host'
import type { Config } from '@rollcall/host/config'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { askServers } from '../local-host/ask-servers.ts'
import { openSession } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { findingLines } from '../output/finding-lines.ts'
import { problemsOf } from '../output/problems-of.ts'
import { oneLine } from '../output/safe-text.ts'
import { serverLines } from '../output/server-lines.ts'
import { holdReason, toolState } from '../output/tool-state.ts'
import { wrap } from '../output/wrap.ts'

/** `rollcall status`: one screen, what needs somebody first, each with its command. */
export async function status(context: CommandContext): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen } = context
  const { tools } = session.host
  const { providers, findings, generation } = session.host.report()
  const waiting = (await tools.pending(localUser)).filter(({ decision }) => decision === undefined)
  const states = Map.groupBy(tools.all(), toolState)
  const of = (state: 'ready' | 'off' | 'held') => states.get(state)?.length ?? 0
  const counts = { ready: of('ready'), off: of('off'), held: of('held') }
  // Those of the host that serves clients, where one does: this session has just begun and started none.
  const servers = (await askServers(session.loaded)) ?? session.mcp.servers()
  screen.data({ generation, providers: providers.length, tools: counts, approvals: waiting.length, servers, findings })
  const told = new Set(providers.filter(({ state }) => state === 'held').map(({ appId }) => appId))
  const held = (states.get('held') ?? []).filter(({ appId }) => !told.has(appId))
  const worth = problemsOf({ findings, providers })
  const problems = [
    ...(waiting.length === 0
      ? []
      : [`  ${screen.paint.yellow('!')} ${count(waiting.length, 'call')} waiting for a person: rollcall approvals`]),
    ...worth.slice(0, mostFindings).flatMap((finding) => findingLines(finding, screen)),
    ...(worth.length > mostFindings ? [`    … ${worth.length - mostFindings} more: rollcall report`] : []),
    ...serverLines(servers, screen),
    ...heldLines(held, session.loaded.config, context),
  ]
  const answered = providers.filter(({ state }) => state === 'active' || state === 'degraded').length
  screen.print(
    ...(problems.length === 0 ? [`  ${screen.paint.green('✓')} Nothing needs you.`] : problems),
    '',
    ...[
      `${answered} of ${count(providers.length, 'provider')} answered (rollcall plugins)`,
      `${count(tools.all().length, 'tool')}: ${counts.ready} ready, ${counts.off} off on purpose, ${counts.held} held (rollcall tools)`,
    ]
      .flatMap((line) => wrap(line, screen.width - 2))
      .map((line) => `  ${line}`),
  )
  return exitCode.fine
}

/** Findings that are shown before the rest is only counted. */
const mostFindings = 5

function heldLines(held: readonly ToolView[], config: Config, { screen }: CommandContext): readonly string[] {
  const byRelease = Map.groupBy(
    held,
    (tool) => tool.holds.find(({ by }) => by !== 'default' && by !== 'switch')?.hint ?? '',
  )
  return [...byRelease].slice(0, mostFindings).flatMap(([hint, tools]) => {
    const [first] = tools
    if (first === undefined) return []
    const names = tools.length === 1 ? oneLine(first.name) : `${count(tools.length, 'tool')} of ${first.appId}`
    return [`  ${screen.paint.yellow('!')} ${names} held: ${holdReason(first, config)}`, `    ${oneLine(hint)}`]
  })
}
