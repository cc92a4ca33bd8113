import { presets } from '@rollcall/host'
import type { SyncReport } from '@rollcall/mcp'
import { type Json, RollcallError } from '@rollcall/plugin'
import { changeConfig, showChange } from '../change-config.ts'
import { checkAppId } from '../check-app-id.ts'
import type { CommandContext } from '../command-context.ts'
import type { ConfigEdit } from '../edit-config/edit-config.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { addedToolLines } from '../output/added-tool-lines.ts'
import { count } from '../output/duration.ts'
import { oneLine } from '../output/safe-text.ts'
import { tokenEstimate } from '../output/token-estimate.ts'
import { proposedRead } from '../proposed-read.ts'
import { lockFileOf, readConfig, requireTrust } from '../read-config.ts'
import { type ServerSource, serverSource } from '../server-source.ts'
import { syncServers } from '../sync-servers.ts'

export interface AddOptions {
  readonly preset?: string
  readonly yes?: boolean
  /** The words came after `--`: they are a command line. */
  readonly isCommandLine: boolean
}

/** `rollcall add`: saves a server, lists it once, and asks what its tools are. */
export async function add(
  context: CommandContext,
  id: string,
  words: readonly string[],
  options: AddOptions,
): Promise<ExitCode> {
  const loaded = await readConfig(context)
  requireTrust(loaded)
  checkAppId(id)
  checkFree(id, Object.keys(loaded.config.providers ?? {}))
  const { folder } = loaded
  const source = await serverSource(words, { folder, isCommandLine: options.isCommandLine, signal: context.signal })
  const preset = await choosePreset(options.preset, context)
  const edit: ConfigEdit = {
    path: ['providers', id],
    value: {
      ...(source.server as unknown as { readonly [key: string]: Json }),
      ...(preset !== undefined && { preset }),
    },
  }
  const saved = await changeConfig(context, [edit])
  if (saved.kind === 'code') return showChange(saved, context, { id })
  tellWhatIsAdded(id, source, preset, context)

  const { reads, report, tokens } = await listOnce(id, context, preset, options)
  const readEdits = reads?.map(
    (name): ConfigEdit => ({ path: ['providers', id, 'tools', name], value: { effect: 'read' } }),
  )
  if (readEdits !== undefined && readEdits.length > 0) await changeConfig(context, readEdits)
  const data = { id, preset: preset ?? null, status: report.status, tools: report.tools, reads: reads ?? [], tokens }
  if (report.error !== undefined) throw failedToList(id, report.error)
  showChange(saved, context, data, [lockFileOf(loaded)])
  return whatIsLeft(id, preset, reads, context)
}

function checkFree(id: string, taken: readonly string[]): void {
  if (!taken.includes(id)) return
  throw new RollcallError('FILE_EXISTS', `The configuration has a provider "${id}" already.`, {
    hint: `Choose another name, or take that one out: rollcall remove ${id}`,
  })
}

async function choosePreset(given: string | undefined, context: CommandContext): Promise<string | undefined> {
  if (given !== undefined && !Object.hasOwn(presets, given)) {
    throw new RollcallError('USAGE', `"${given}" is no preset.`, { hint: 'The presets there are: rollcall presets' })
  }
  if (given !== undefined || !context.screen.interactive) return given
  const entries = Object.entries(presets).map(([value, { summary }]) => ({
    value,
    label: `${value.padEnd(10)} ${summary}`,
  }))
  return context.prompts.pick('What is it? (Escape leaves it held)', entries)
}

function tellWhatIsAdded(
  id: string,
  source: ServerSource,
  preset: string | undefined,
  { screen }: CommandContext,
): void {
  const transport = 'command' in source.server ? 'stdio' : 'http'
  const said = preset === undefined ? 'no preset: held' : `preset ${preset}`
  screen.note(`  ${id}  ${oneLine(source.label)}  ·  ${transport}  ·  ${said}`)
  if (source.isUnpinned) {
    const { yellow } = screen.notePaint
    screen.note(
      `  ${yellow('!')} Its version was not found, so other code may run tomorrow. Write it into "args".  LAUNCH_UNPINNED`,
    )
  }
  screen.note('', '  starting (a first download may take a while) …', '')
}

interface Listed {
  readonly report: SyncReport
  /** Tools that the person says only read; `undefined`: nobody said. */
  readonly reads: readonly string[] | undefined
  readonly tokens: number
}

async function listOnce(
  id: string,
  context: CommandContext,
  preset: string | undefined,
  options: AddOptions,
): Promise<Listed> {
  await using session = await openSession(context, { pinning: 'off', mayDownload: true })
  const { screen, signal } = context
  const [report] = await syncServers(session.mcp, [id], { accept: true, signal, screen })
  if (report === undefined || report.error !== undefined) {
    const none: SyncReport = { appId: id, status: 'failed', tools: [] }
    return { report: report ?? none, reads: undefined, tokens: 0 }
  }
  await session.host.refresh()
  const views = session.host.tools.all().filter(({ appId }) => appId === id)
  const tokens = views.reduce((sum, view) => sum + tokenEstimate(view), 0)
  screen.print(...addedToolLines(report, views, screen))
  screen.print('', `  ${count(report.tools.length, 'tool')} · ${tokens.toLocaleString('en')} tokens`)
  return { report, tokens, reads: preset === undefined ? undefined : await chooseReads(report, context, options) }
}

async function chooseReads(
  report: SyncReport,
  { screen, prompts }: CommandContext,
  { yes }: AddOptions,
): Promise<readonly string[] | undefined> {
  const proposed = report.tools.filter(proposedRead).map(({ name }) => name)
  if (yes === true) return proposed
  if (!screen.interactive) return undefined
  const entries = report.tools.map((tool) => ({
    value: tool.name,
    label: oneLine(tool.name),
    ticked: proposedRead(tool),
    ...(tool.description !== undefined && { hint: oneLine(tool.description).slice(0, 60) }),
  }))
  return prompts.tick('Which of them only read? All others count as writing.', entries)
}

function failedToList(id: string, error: NonNullable<SyncReport['error']>): RollcallError {
  const again = error.hint.includes('rollcall sync') ? '' : ` Once it works: rollcall sync ${id}.`
  return new RollcallError(
    'SERVER_UNAVAILABLE',
    `${id} is saved, but could not be listed: ${error.message} (${error.code})`,
    { hint: `${error.hint}${again} To take it out again: rollcall remove ${id}` },
  )
}

function whatIsLeft(
  id: string,
  preset: string | undefined,
  reads: readonly string[] | undefined,
  { screen }: CommandContext,
): ExitCode {
  if (preset !== undefined && reads !== undefined) return exitCode.fine
  screen.complain(
    preset === undefined
      ? `  ${id} is saved and held until somebody says what it is: rollcall preset ${id} <preset>`
      : `  Nobody has said which tools only read, so all of them count as writing. Say it in "providers.${id}.tools", or add it with --yes.`,
  )
  return exitCode.due
}
