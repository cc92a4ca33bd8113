import { type Principal, visibleText } from '@rollcall/plugin'
import type { Verdict } from '../gate/gate.ts'
import { ask } from './ask.ts'
import type { CallDeps } from './call-deps.ts'
import { openRecord, readCall, type WorkingCall } from './call-record.ts'
import { badArguments, gateCall, gateWithGrants, notRecorded } from './call-tool.ts'
import { type EndedOutcome, endCall } from './end-call.ts'
import type { CallState } from './fold-call.ts'
import { goOnWithInput } from './go-on-with-input.ts'
import { argumentsDenied, askedBy, guardArguments } from './guard-call.ts'
import type { CallRef, ToolOutcome } from './outcome.ts'
import { parseArguments } from './parse-arguments.ts'
import { mayStart, type Question, questionOf, toPending } from './question.ts'
import { readTaint } from './read-taint.ts'
import { readWorking } from './read-working.ts'
import { decided, expired, recordedOutcome, unknownEnd } from './recorded-outcome.ts'
import { bindingOf, hostClosed, type ReadyCall, runCall } from './run-call.ts'
import type { CallOptions } from './runtime.ts'
import { failed } from './to-outcome.ts'

type Elapsed = { readonly callId: string; readonly durationMs: number }

/**
 * Executes a decided call, at most once for each decision: the claim is the append of `call.started` at the length that
 * was read. The gate is asked again for the call's owner, and the preview is made again; what differs goes back to a
 * person. Never rejects.
 */
export async function resume(deps: CallDeps, call: CallRef, options: CallOptions): Promise<ToolOutcome> {
  const begun = deps.clock.now()
  const elapsed = (): Elapsed => ({ callId: call.callId, durationMs: deps.clock.now() - begun })
  try {
    if (deps.signal.aborted) return hostClosed(elapsed())
    const state = await readCall(deps.store, call)
    if (!isOwn(state, options.principal)) return notFound(elapsed())
    const working = await readWorking(deps.store, call.stream)
    const question = questionOf(state, working, deps.clock.now())
    if (question === undefined) return await keptOutcome(deps, call, state, elapsed())
    if (question.expiresAt <= deps.clock.now()) return await expire(deps, call, state, question, elapsed())
    if (working === undefined) return notFound(elapsed())
    if (mayStart(state)) return await runDecided(deps, call, { state, working, question }, options, begun)
    const text = question.kind === 'unknown' ? unknownEnd(elapsed()).text : `${working.tool} waits for a person.`
    return { ...elapsed(), status: 'waiting', pending: toPending(call, question, working), text }
  } catch (error) {
    return notRecorded(deps, error, elapsed())
  }
}

/** Whether a call was made in this principal's name, or may be seen to by it; every other one looks unknown. */
export function isOwn({ proposed }: CallState, principal: Principal): boolean {
  return proposed !== undefined && (principal.admin === true || principal.id === proposed.principal)
}

/** How a call ended: as it was kept, for a while, and as the record has it otherwise. */
async function keptOutcome(deps: CallDeps, call: CallRef, state: CallState, elapsed: Elapsed): Promise<EndedOutcome> {
  const { proposed, ended } = state
  const hasText = ended?.status === 'ok' || ended?.status === 'failed'
  const kept = proposed && hasText ? await deps.kept.find(call.stream, proposed.principal) : undefined
  return kept ?? recordedOutcome(state, elapsed)
}

/** Ends a call about which nobody said anything in time. */
export async function expire(
  deps: CallDeps,
  call: CallRef,
  state: CallState,
  question: Question,
  elapsed: Elapsed,
): Promise<EndedOutcome> {
  const { tool = '', principal = '', effect } = state.proposed ?? {}
  const lost: EndedOutcome =
    effect === 'read' ? { ...elapsed, status: 'cancelled', text: 'The call was cancelled.' } : unknownEnd(elapsed)
  const outcome = question.kind === 'unknown' ? lost : expired(elapsed)
  const record = openRecord(deps.store, call.callId, principal)
  const end = await endCall(deps, record, { length: state.length, unwritten: [] }, tool, outcome)
  return end === 'ended' ? outcome : decided(elapsed)
}

async function runDecided(
  deps: CallDeps,
  call: CallRef,
  found: { readonly state: CallState; readonly working: WorkingCall; readonly question: Question },
  options: CallOptions,
  begun: number,
): Promise<ToolOutcome> {
  const { state, working, question } = found
  const elapsed = { callId: call.callId, durationMs: deps.clock.now() - begun }
  const record = openRecord(deps.store, call.callId, working.principal.id)
  const end = async (outcome: EndedOutcome, by?: readonly string[]): Promise<ToolOutcome> => {
    const journal = { length: state.length, unwritten: [] }
    return (await endCall(deps, record, journal, working.tool, outcome, by)) === 'ended' ? outcome : decided(elapsed)
  }
  const entry = deps.catalogue().entries.get(working.tool)
  const profile = deps.profiles.get(working.profile)
  // The owner's rules count, whoever resumes.
  const owner: CallOptions = {
    ...options,
    principal: working.principal,
    profile: working.profile,
    ...(working.allow === null ? {} : { allow: working.allow }),
    ...clientOf(working, options),
  }
  const parsed = parseArguments(entry, working.args)
  const taint = await readTaint(deps, entry, owner)
  const isSubmitted = state.answered?.answer === 'submitted'
  const verdict = profile && (await gateAgain(deps, { entry, parsed, profile, options: owner, taint }, state))
  if (
    state.args === undefined ||
    entry === undefined ||
    profile === undefined ||
    verdict === undefined ||
    verdict.verdict === 'deny'
  ) {
    const text = `${working.tool} is not allowed any more, so the approved call was not executed.`
    const hint = `Every vote: rollcall why ${working.tool}`
    return await end({ ...elapsed, status: 'denied', code: 'APPROVAL_STALE', text, hint })
  }
  if (!parsed.ok) return await end(badArguments(entry, parsed.message, elapsed))

  // A person has said yes to these arguments; a guardrail that denies them has the last word all the same.
  const guarded = { callId: call.callId, entry, profile, options: owner }
  const checked = await guardArguments(deps, guarded, parsed.text)
  if (checked !== undefined && checked.verdict !== 'allow' && checked.verdict !== 'ask')
    return await end(argumentsDenied(guarded, checked, elapsed), checked.guardrails)

  const ready: ReadyCall = {
    entry,
    args: parsed.text,
    argsDigest: state.args,
    profile,
    options: owner,
    begun,
    verdict,
  }
  const journal = { length: state.length, opening: [] }
  if (isSubmitted) {
    const asked = checked?.verdict === 'ask' ? { ...ready, verdict: askedBy(verdict, checked) } : ready
    return await goOnWithInput(deps, record, journal, asked, {
      question,
      guardrails: checked?.guardrails,
      end,
      elapsed,
    })
  }
  const preview = question.kind === 'approval' ? await entry.preview(parsed.value) : working.preview
  if (bindingOf(entry, parsed.text) === question.binds && preview.join('\n') === working.preview.join('\n'))
    return await runCall(deps, record, journal, ready, preview)
  const again = await ask(deps, record, journal, ready)
  const before = visibleText(working.preview.join(' / '))
  const text = `APPROVAL_STALE: ${working.tool} is not what was approved any more, so it waits again. Before: ${before}`
  return again.status === 'waiting' ? { ...again, text } : again
}

/** A yes for the next calls is looked for only where nobody has said yes to this one. */
async function gateAgain(
  deps: CallDeps,
  call: Parameters<typeof gateCall>[1] & { readonly options: CallOptions },
  { answered, args }: CallState,
): Promise<Verdict> {
  if (answered?.answer !== 'submitted' || args === undefined) return gateCall(deps, call)
  return (await gateWithGrants(deps, { ...call, argsDigest: args })).verdict
}

/** Its own session, with the way to see its end where that is known. */
function clientOf({ client }: WorkingCall, options: CallOptions): Pick<CallOptions, 'client'> {
  if (client === undefined || client === null) return {}
  return { client: options.client?.session === client.session ? options.client : client }
}

function notFound(elapsed: Elapsed): EndedOutcome {
  return failed(elapsed, 'APPROVAL_NOT_FOUND', 'No call of that id waits.', 'What waits: rollcall approvals')
}
