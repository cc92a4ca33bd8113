import { isRollcallError, type RollcallErrorCode } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import { decide } from '../gate/decide.ts'
import type { Verdict } from '../gate/gate.ts'
import type { Profile } from '../gate/profile.ts'
import { toSubject } from '../gate/to-subject.ts'
import { ask } from './ask.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import { type CallRecord, gated, newCallId, openRecord, proposed } from './call-record.ts'
import type { ToolOutcome } from './outcome.ts'
import { type ParsedArguments, parseArguments } from './parse-arguments.ts'
import { notifyFinished, recordEnd, runCall } from './run-call.ts'
import type { CallOptions } from './runtime.ts'
import { failed } from './to-outcome.ts'

/**
 * The story of a call: find the tool, parse the arguments, ask the gate, record, execute, bound, record.
 * The entry that was gated is the object that is executed. Never rejects.
 */
export async function callTool(
  deps: CallDeps,
  tool: string,
  args: unknown,
  options: CallOptions,
): Promise<ToolOutcome> {
  const begun = deps.clock.now()
  const callId = options.run?.callId ?? newCallId()
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - begun })

  const listener = deps.currentListener()
  if (listener !== undefined) return notReady(listener, elapsed())
  const profile = deps.profiles.get(options.profile ?? 'direct')
  if (profile === undefined) return noProfile(options.profile, elapsed())

  const entry = deps.catalogue().entries.get(tool)
  const parsed = parseArguments(entry, args)
  const verdict = gateCall(entry, parsed, profile, options)

  const record = openRecord(deps.store, callId, options.principal.id, options.run)
  const opening = [
    proposed(callId, tool, entry, parsed.text, { principal: options.principal, profile }, await deps.digestKey()),
    gated(callId, verdict),
  ]
  try {
    if (entry === undefined || verdict.verdict === 'deny') {
      const { code, text, hint } = denial(deps, tool, verdict)
      return await close(deps, record, opening, { ...elapsed(), status: 'denied', code, text, hint }, tool)
    }
    if (!parsed.ok) {
      const refused = failed(
        elapsed(),
        'TOOL_ARGUMENTS_INVALID',
        `${tool}: ${parsed.message}`,
        'Correct the arguments; nothing was executed.',
      )
      return await close(deps, record, opening, refused, tool)
    }
    if (verdict.verdict === 'ask')
      return await ask(deps, record, opening, { entry, args: parsed.text, profile, options, begun })
    return await runCall(deps, record, { length: 0, opening }, { entry, args: parsed.text, profile, options, begun })
  } catch (error) {
    return storeFailed(error, elapsed())
  }
}

/** Asks the gate about this call; a throwing `when` of the author counts as asking. */
export function gateCall(
  entry: CatalogueEntry | undefined,
  parsed: ParsedArguments,
  profile: Profile,
  who: Pick<CallOptions, 'principal' | 'allow'>,
): Verdict {
  return decide({
    subject: entry === undefined ? undefined : toSubject(entry),
    principal: who.principal,
    profile,
    ...(who.allow === undefined ? {} : { allow: who.allow }),
    argumentsAsk: entry !== undefined && parsed.ok ? entry.needsApproval(parsed.value) : true,
  })
}

/** Writes the whole journal of a call that executes nothing. */
async function close(
  deps: CallDeps,
  record: CallRecord,
  opening: readonly CallEvent[],
  outcome: ToolOutcome,
  tool: string,
): Promise<ToolOutcome> {
  await recordEnd(deps, record, 0, opening, outcome)
  notifyFinished(deps, tool, outcome)
  return outcome
}

function denial(
  deps: CallDeps,
  tool: string,
  verdict: Verdict,
): { code: RollcallErrorCode; text: string; hint: string } {
  const why = verdict.votes.find(({ rule }) => rule === verdict.decidedBy)?.why ?? ''
  switch (verdict.decidedBy) {
    case 'registered':
      return deps.isGone(tool)
        ? { code: 'TOOL_GONE', text: `${tool} is not in the catalogue any more.`, hint: 'List the tools again.' }
        : { code: 'TOOL_NOT_FOUND', text: `There is no tool ${tool}.`, hint: 'List what there is: rollcall tools' }
    case 'held': {
      const hold = deps.catalogue().entries.get(tool)?.holds[0]
      return { code: 'TOOL_HELD', text: `${tool} is held (${hold?.by}).`, hint: hold?.hint ?? '' }
    }
    default:
      return {
        code: 'TOOL_DENIED',
        text: `${tool} is denied by the rule "${verdict.decidedBy}": ${why}.`,
        hint: `Every vote: rollcall why ${tool}`,
      }
  }
}

function notReady(listener: string, elapsed: { callId: string; durationMs: number }): ToolOutcome {
  return failed(
    elapsed,
    'CATALOGUE_NOT_READY',
    `A listener of ${listener} called a tool while the catalogue is being made from its answer.`,
    'Call tools when a tool of yours is called, or listen to ToolsChanged.',
  )
}

function noProfile(profile: string | undefined, elapsed: { callId: string; durationMs: number }): ToolOutcome {
  const text = `There is no profile ${profile}.`
  return {
    ...elapsed,
    status: 'denied',
    code: 'TOOL_DENIED',
    text,
    hint: 'Add it to `profiles`, or name one that is there.',
  }
}

/** The journal could not be written: nothing is executed without it. */
export function storeFailed(error: unknown, elapsed: { callId: string; durationMs: number }): ToolOutcome {
  const known = isRollcallError(error)
  return failed(
    elapsed,
    known ? error.code : 'STORE_UNAVAILABLE',
    known ? error.message : 'The call could not be recorded, so it was not executed.',
    known ? error.hint : 'Check the store: its path, permissions and free space.',
  )
}
