import { homedir } from 'node:os'
import { dirname, relative, sep } from 'node:path'
import type { Report } from '@rollcall/host'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openService, type Service } from '../open-service.ts'
import type { Session } from '../open-session.ts'
import { count } from '../output/duration.ts'
import { findingLines } from '../output/finding-lines.ts'
import { problemsOf } from '../output/problems-of.ts'
import { rollCallLines } from '../output/roll-call-lines.ts'
import { oneLine } from '../output/safe-text.ts'
import { holdReason, toolState } from '../output/tool-state.ts'
import { wrap } from '../output/wrap.ts'
import { principalOf } from '../principals.ts'
import { tellWaiting } from '../tell-waiting.ts'
import { tryLines } from '../try-lines.ts'
import { unmigrated } from '../unmigrated.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { untilListed } from '../until-listed.ts'
import { version } from '../version.ts'

/** `rollcall start`: calls the roll, serves it, and says what came of it; stays until it is interrupted. */
export async function start(context: CommandContext): Promise<ExitCode> {
  const { screen, signal } = context
  await using service = await openService(context, {
    onConfig: (loaded) => {
      const place = `${nameOf(loaded.file)} · state in ${nearPath(loaded.stateFolder, context.cwd)}`
      screen.print(`${screen.paint.bold(`Rollcall ${version}`)} · ${place}`, '')
      screen.note(screen.notePaint.dim('  calling the roll …'), '')
    },
  })
  tellWaiting(service.session.host, context)
  await untilListed(service.session, context)
  const report = service.session.host.report()
  screen.data({
    generation: report.generation,
    providers: report.providers,
    findings: report.findings,
    addresses: service.addresses,
  })
  screen.print(
    ...rollCallLines(report.providers, screen),
    '',
    ...countLines(report, service.session, context),
    ...findingParts(report, context),
  )
  // `legacyScan: 'error'`: everything was looked at and told, and nothing is served.
  if (unmigrated(service.session.host).length > 0) return exitCode.negative
  screen.print(
    '',
    ...addressLines(service, context),
    ...tryLines(service, context.commandName),
    '',
    '  Ctrl-C stops everything.',
  )
  await untilInterrupted(signal)
  screen.note('', screen.notePaint.dim('  stopping …'))
  return exitCode.interrupted
}

/** The configuration that comes with the repository is the quick start; any other has its own name. */
function nameOf(file: string | undefined): string {
  if (file === undefined) return 'no configuration'
  const isOwn = import.meta.dirname.startsWith(`${dirname(file)}${sep}packages${sep}`)
  return isOwn ? 'quick start' : oneLine(file.split(sep).at(-1) ?? file)
}

function nearPath(path: string, cwd: string): string {
  const near = relative(cwd, path)
  if (!near.startsWith('..')) return oneLine(near || '.')
  return oneLine(path.startsWith(homedir() + sep) ? `~${path.slice(homedir().length)}` : path)
}

function countLines(report: Report, { host, loaded }: Session, { screen }: CommandContext): readonly string[] {
  const tools = host.tools.all()
  const states = Map.groupBy(tools, toolState)
  const of = (state: 'ready' | 'off' | 'held') => states.get(state)?.length ?? 0
  const active = report.providers.filter(({ state }) => state === 'active' || state === 'degraded').length
  const off = of('off') === 0 ? [] : [`${of('off')} off on purpose (rollcall tools --off)`]
  const held = of('held') === 0 ? [] : [`${of('held')} held (rollcall status)`]
  const counts = [`${of('ready')} ready`, ...off, ...held].join(', ')
  const reasons = [...Map.groupBy(states.get('off') ?? [], (tool) => holdReason(tool, loaded.config))].map(
    ([reason, some]) => {
      const names = some.slice(0, 2).map(({ name }) => oneLine(name))
      const more = some.length > 2 ? ` and ${some.length - 2} more` : ''
      return `${names.join(', ')}${more}: ${reason}`
    },
  )
  return [
    `  ${count(active, 'provider')} · ${count(tools.length, 'tool')} · ${counts}`,
    ...wrap(reasons.join('; '), screen.width - 2)
      .filter((line) => line !== '')
      .map((line) => screen.paint.dim(`  ${line}`)),
  ]
}

/** Findings that are shown before the rest is only counted. */
const mostFindings = 6

function findingParts(report: Report, { screen }: CommandContext): readonly string[] {
  const worth = problemsOf(report)
  const shown = worth.slice(0, mostFindings).flatMap((finding) => ['', ...findingLines(finding, screen)])
  return worth.length > mostFindings
    ? [...shown, '', `  … ${worth.length - mostFindings} more (rollcall report)`]
    : shown
}

function addressLines({ addresses, session }: Service, { screen }: CommandContext): readonly string[] {
  const { host } = session
  const all = host.tools.all().length
  const longest = Math.max(...addresses.map(({ url }) => url.length))
  return addresses.map(({ url, profile }, at) => {
    const seen = host.tools.list({ principal: principalOf(profile), profile }).length
    const zone = host.profiles.get(profile)?.zone
    const what = zone?.startsWith('external') ? 'what a model outside may see' : `profile ${profile}`
    return `  ${at === 0 ? 'MCP' : '   '}   ${url.padEnd(longest)}   ${screen.paint.dim(`${what}: ${seen} of ${all} tools`)}`
  })
}
