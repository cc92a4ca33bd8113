import type { Principal, RollcallErrorCode } from '@rollcall/plugin'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import { openRecord, readCall, type WorkingCall } from './call-record.ts'
import { gateCall } from './call-tool.ts'
import type { CallState } from './fold-call.ts'
import type { Answer, CallRef } from './outcome.ts'
import { parseArguments } from './parse-arguments.ts'
import { readWorking } from './read-working.ts'
import type { Answered } from './runtime.ts'

/**
 * Records one person's word on a pending call, or says why not; executes nothing. The append is guarded by the
 * length that was read, so that of two answers exactly one is taken. Never rejects.
 */
export async function answer(deps: CallDeps, call: CallRef, given: Answer, principal: Principal): Promise<Answered> {
  try {
    const state = await readCall(deps.store, call.stream)
    const working = await readWorking(deps.store, call.stream)
    const refusal = refuse(deps, state, working, given, principal)
    if (refusal !== undefined) return refusal
    if (state.proposed === undefined || working === undefined) return notFound()
    if (given.kind !== 'approval')
      return no('APPROVAL_NOT_FOUND', `The call waits for an approval, not for ${given.kind}.`)

    const self = working.principal.person === principal.person
    const reason = given.reason === undefined ? {} : { reason: given.reason.slice(0, 500) }
    const { callId } = call
    const events: CallEvent[] = [
      {
        type: 'call.answered',
        callId,
        by: principal.id,
        answer: given.approved ? 'approved' : 'denied',
        ...reason,
        self,
      },
    ]
    if (!given.approved)
      events.push({ type: 'call.ended', callId, status: 'denied', code: 'APPROVAL_DENIED', durationMs: 0 })
    const head = given.approved ? { status: 'answered', ...due(state) } : { status: 'denied' }
    const record = openRecord(deps.store, callId, working.principal.id, undefined)
    const written = await record.append(state.length, events, head, given.approved ? working : undefined)
    return written === 'appended' ? { ok: true } : decidedBefore()
  } catch {
    return no('STORE_UNAVAILABLE', 'The decision could not be recorded.')
  }
}

function refuse(
  deps: CallDeps,
  state: CallState,
  working: WorkingCall | undefined,
  given: Answer,
  principal: Principal,
): Answered | undefined {
  if (state.asked === undefined || state.proposed === undefined) return notFound()
  if (state.answered !== undefined || state.started) return decidedBefore()
  if (state.ended !== undefined) return state.ended.code === 'APPROVAL_EXPIRED' ? expired() : decidedBefore()
  // Who may not decide learns nothing about what waits.
  if (!principal.admin && !principal.scopes.includes('runs:approve')) return notFound()
  if (state.asked.expiresAt <= deps.clock.now()) return expired()
  if (state.asked.binds !== given.binds) {
    return no('APPROVAL_STALE', 'The call is not the one that was shown: look at it again before you decide.')
  }
  if (working === undefined) return notFound()
  // Denying is always allowed; approving only what the approver could call.
  if (given.kind === 'approval' && given.approved) {
    const entry = deps.catalogue().entries.get(working.tool)
    const profile = deps.profiles.get('direct')
    if (entry === undefined || profile === undefined)
      return no('APPROVAL_STALE', `${working.tool} is not in the catalogue any more.`)
    const verdict = gateCall(entry, parseArguments(entry, working.args), profile, { principal })
    if (verdict.verdict === 'deny')
      return no('TOOL_DENIED', `You may not approve ${working.tool}: ${verdict.decidedBy}.`)
  }
  return undefined
}

function due(state: CallState): { dueAt?: number } {
  return state.asked === undefined ? {} : { dueAt: state.asked.expiresAt }
}

function no(code: RollcallErrorCode, message: string): Answered {
  return { ok: false, code, message, hint: 'What waits: rollcall approvals' }
}

const notFound = () => no('APPROVAL_NOT_FOUND', 'No call of that id waits for you.')
const decidedBefore = () => no('APPROVAL_DECIDED', 'The call was decided, executed or cancelled before.')
const expired = () => no('APPROVAL_EXPIRED', 'Nobody decided the call in time; make it again.')
