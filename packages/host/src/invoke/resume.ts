import { visibleText } from '@rollcall/plugin'
import { ask } from './ask.ts'
import type { CallDeps } from './call-deps.ts'
import { openRecord, readCall, type WorkingCall } from './call-record.ts'
import { gateCall, storeFailed } from './call-tool.ts'
import type { CallState } from './fold-call.ts'
import type { CallRef, Pending, ToolOutcome } from './outcome.ts'
import { parseArguments, rebuild } from './parse-arguments.ts'
import { readWorking } from './read-working.ts'
import { bindingOf, decided, type ReadyCall, recordEnd, runCall } from './run-call.ts'
import type { CallOptions } from './runtime.ts'
import { failed } from './to-outcome.ts'

type Elapsed = { readonly callId: string; readonly durationMs: number }

/**
 * Executes a decided call, at most once ever: the claim is the append of `call.started` at the length that was read.
 * The gate is asked again for the call's owner, and the preview is made again; what differs goes back to a person.
 * Never rejects.
 */
export async function resume(deps: CallDeps, call: CallRef, options: CallOptions): Promise<ToolOutcome> {
  const begun = deps.clock.now()
  const elapsed = (): Elapsed => ({ callId: call.callId, durationMs: deps.clock.now() - begun })
  try {
    const state = await readCall(deps.store, call.stream)
    const over = ofState(state, elapsed())
    if (over !== undefined) return over
    const working = await readWorking(deps.store, call.stream)
    if (working === undefined || !mayResume(working, options)) return notFound(elapsed())
    if (state.asked !== undefined && state.asked.expiresAt <= deps.clock.now())
      return await expire(deps, call, state, working, elapsed())
    if (state.answered === undefined) return stillWaiting(call, state, working, elapsed())
    return await runApproved(deps, call, state, working, options, begun)
  } catch (error) {
    return storeFailed(error, elapsed())
  }
}

async function runApproved(
  deps: CallDeps,
  call: CallRef,
  state: CallState,
  working: WorkingCall,
  options: CallOptions,
  begun: number,
): Promise<ToolOutcome> {
  const elapsed = { callId: call.callId, durationMs: deps.clock.now() - begun }
  const record = openRecord(deps.store, call.callId, working.principal.id, undefined)
  const entry = deps.catalogue().entries.get(working.tool)
  const profile = deps.profiles.get(working.profile)
  // The owner's rules count, whoever resumes.
  const owner: CallOptions = {
    ...options,
    principal: working.principal,
    profile: working.profile,
    ...(working.allow === null ? {} : { allow: working.allow }),
  }
  const parsed = parseArguments(entry, working.args)
  if (entry === undefined || profile === undefined || gateCall(entry, parsed, profile, owner).verdict === 'deny') {
    const text = `${working.tool} is not allowed any more, so the approved call was not executed.`
    const denied: ToolOutcome = {
      ...elapsed,
      status: 'denied',
      code: 'APPROVAL_STALE',
      text,
      hint: `Every vote: rollcall why ${working.tool}`,
    }
    await recordEnd(deps, record, state.length, [], denied)
    return denied
  }
  const ready: ReadyCall = { entry, args: working.args, profile, options: owner, begun }
  const preview = await entry.preview(rebuild(working.args))
  if (
    !parsed.ok ||
    bindingOf(entry, working.args) !== state.asked?.binds ||
    preview.join('\n') !== working.preview.join('\n')
  ) {
    const again = await ask(deps, record, [], ready, state.length)
    const text = `APPROVAL_STALE: ${working.tool} is not what was approved any more, so it waits again. Before: ${visibleText(working.preview.join(' / '))}`
    return again.status === 'waiting' ? { ...again, text } : again
  }
  return runCall(deps, record, { length: state.length, opening: [] }, ready)
}

/** What a call's record alone says about it, when nothing is left to do. */
function ofState(state: CallState, elapsed: Elapsed): ToolOutcome | undefined {
  if (state.proposed === undefined || state.asked === undefined) return notFound(elapsed)
  if (state.ended?.code === 'APPROVAL_DENIED') {
    const reason = state.answered?.reason === undefined ? '' : `: ${visibleText(state.answered.reason)}`
    return { ...elapsed, status: 'denied', code: 'APPROVAL_DENIED', text: `Denied by ${state.answered?.by}${reason}.` }
  }
  if (state.ended?.code === 'APPROVAL_EXPIRED') return expiredOutcome(elapsed)
  if (state.started || state.ended !== undefined) return decided(elapsed)
  return undefined
}

/** Ends a call that nobody decided in time. */
export async function expire(
  deps: CallDeps,
  call: CallRef,
  state: CallState,
  working: WorkingCall,
  elapsed: Elapsed,
): Promise<ToolOutcome> {
  const outcome = expiredOutcome(elapsed)
  await recordEnd(deps, openRecord(deps.store, call.callId, working.principal.id, undefined), state.length, [], outcome)
  return outcome
}

function expiredOutcome(elapsed: Elapsed): ToolOutcome {
  return {
    ...elapsed,
    status: 'denied',
    code: 'APPROVAL_EXPIRED',
    text: 'Nobody decided the call in time.',
    hint: 'Make the call again.',
  }
}

function stillWaiting(call: CallRef, state: CallState, working: WorkingCall, elapsed: Elapsed): ToolOutcome {
  if (state.asked === undefined) return notFound(elapsed)
  const pending: Pending = {
    kind: 'approval',
    ...call,
    tool: working.tool,
    binds: state.asked.binds,
    expiresAt: state.asked.expiresAt,
    args: rebuild(working.args),
    preview: working.preview,
  }
  return { ...elapsed, status: 'waiting', pending, text: `${working.tool} waits for a person.` }
}

function mayResume(working: WorkingCall, { principal }: CallOptions): boolean {
  return principal.admin || principal.id === working.principal.id
}

function notFound(elapsed: Elapsed): ToolOutcome {
  return failed(elapsed, 'APPROVAL_NOT_FOUND', 'No call of that id waits.', 'What waits: rollcall approvals')
}
