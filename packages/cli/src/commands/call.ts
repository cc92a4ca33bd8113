import { type CallOptions, localUser, type ToolOutcome, type ToolView } from '@rollcall/host'
import { nearest } from '@rollcall/host/config'
import type { Finding } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { decideHere } from '../decide-here.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession, type Session } from '../open-session.ts'
import { duration } from '../output/duration.ts'
import { showOutcome } from '../output/outcome-lines.ts'
import { oneLine } from '../output/safe-text.ts'
import { holdReason, toolState } from '../output/tool-state.ts'
import { parseArguments } from '../parse-arguments.ts'
import { directProfile } from '../principals.ts'
import { requireProfile } from '../require-profile.ts'

/** `rollcall call`: calls one tool; offers in place what stands between, and shows how it ended. */
export async function call(
  context: CommandContext,
  name: string,
  words: readonly string[],
  options: { readonly profile?: string; readonly approve?: boolean },
): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen, signal } = context
  const { host } = session
  const profile = requireProfile(host, options.profile ?? directProfile)
  const tool = host.tools.all().find((view) => view.name === name)
  const args = parseArguments(words, tool?.definition.inputSchema)
  if (tool !== undefined && (await offerSwitch(tool, session, context)) === 'left') return exitCode.interrupted
  const who: CallOptions = { principal: localUser, profile: profile.name, signal, onProgress: progressOn(context) }
  const first = await host.tools.call(name, args, who)
  const outcome = first.status === 'waiting' ? await decide(first, session, context, who, options) : first
  if (outcome.status === 'waiting') tellHowToDecide(outcome, context)
  const missing = explainMissing(name, outcome, session, who)
  const code = showOutcome(missing.outcome, screen, missing.findings)
  if (signal.aborted || outcome.status === 'cancelled') return exitCode.interrupted
  return outcome.status === 'waiting' && outcome.pending.kind === 'input' ? exitCode.due : code
}

/** Why there is no such tool, as far as anything is known, and which name was most likely meant. */
function explainMissing(
  name: string,
  outcome: ToolOutcome,
  { host }: Session,
  { principal, profile }: CallOptions,
): { readonly outcome: ToolOutcome; readonly findings?: readonly Finding[] } {
  if (outcome.status !== 'denied') return { outcome }
  if (outcome.code !== 'TOOL_NOT_FOUND' && outcome.code !== 'TOOL_GONE') return { outcome }
  const { findings } = host.tools.why(name, { principal, ...(profile !== undefined && { profile }) })
  const names = host.tools.all().map((tool) => tool.name)
  const near = nearest(name, names)
  if (near === undefined || near === name) return { outcome, findings }
  return { outcome: { ...outcome, text: `${outcome.text} Did you mean ${near}?` }, findings }
}

/** A tool that is off on purpose may be switched on where it is missed. */
async function offerSwitch(
  tool: ToolView,
  { host, loaded }: Session,
  context: CommandContext,
): Promise<'goOn' | 'left'> {
  const { screen, prompts, signal } = context
  if (toolState(tool) !== 'off' || !screen.interactive) return 'goOn'
  const question = `${oneLine(tool.name)} is off (${holdReason(tool, loaded.config)}). Switch it on?`
  const yes = await prompts.confirm(question, signal)
  if (yes === undefined) return 'left'
  if (yes) await host.switches.enable({ kind: 'tool', name: tool.name }, localUser.id)
  return 'goOn'
}

async function decide(
  waiting: Extract<ToolOutcome, { status: 'waiting' }>,
  { host }: Session,
  context: CommandContext,
  who: CallOptions,
  { approve }: { readonly approve?: boolean },
): Promise<ToolOutcome> {
  const { pending } = waiting
  if (approve === true && pending.kind === 'approval') {
    const answered = await host.tools.answer(
      pending,
      { kind: 'approval', approved: true, binds: pending.binds, reason: 'approved with --approve' },
      localUser,
      'cli',
    )
    if (answered.ok) return host.tools.resume(pending, who)
    const { code, message, hint } = answered
    return { status: 'denied', callId: waiting.callId, durationMs: waiting.durationMs, code, text: message, hint }
  }
  if (!context.screen.interactive) return waiting
  return decideHere(waiting, { host, context, who })
}

function tellHowToDecide(outcome: Extract<ToolOutcome, { status: 'waiting' }>, { screen }: CommandContext): void {
  if (screen.json) return
  const { pending } = outcome
  const id = pending.callId.slice(-8)
  if (pending.kind === 'input') {
    screen.complain(
      `${screen.notePaint.yellow('waiting')} ${oneLine(pending.tool)} asks a person; it waits ${duration(pending.expiresAt - Date.now())} as ${id}.`,
      `  In a terminal: rollcall input ${id}`,
    )
    return
  }
  screen.complain(
    `${screen.notePaint.yellow('waiting')} ${oneLine(pending.tool)} needs a person; it waits ${duration(pending.expiresAt - Date.now())} as ${id}.`,
    `  In a terminal: rollcall approve ${id}`,
    `  In a script: rollcall deny ${id}, then the call with --approve; that is recorded as approved by its caller.`,
  )
}

function progressOn({ screen }: CommandContext): NonNullable<CallOptions['onProgress']> {
  return ({ done, total, message }) => {
    const of = total === undefined ? `${done}` : `${done} of ${total}`
    screen.note(screen.notePaint.dim(`  ${of}${message === undefined ? '' : ` · ${oneLine(message)}`}`))
  }
}
