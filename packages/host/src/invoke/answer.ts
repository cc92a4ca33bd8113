import {
  CallFinished,
  isRollcallError,
  type Json,
  type Principal,
  type RollcallErrorCode,
  redactSecrets,
  visibleText,
} from '@rollcall/plugin'
import type { Grant } from '../gate/grant.ts'
import type { ApprovalChannel } from '../gate/profile.ts'
import { untainted } from '../gate/taint.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { addInput, type WithInput } from './add-input.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import { digestArguments, openRecord, readCall, type WorkingCall } from './call-record.ts'
import { gateCall } from './call-tool.ts'
import type { CallState } from './fold-call.ts'
import { routeRefusal } from './may-approve.ts'
import type { Answer, CallRef } from './outcome.ts'
import { parseArguments } from './parse-arguments.ts'
import { mayStart, type Question, questionOf } from './question.ts'
import { readWorking } from './read-working.ts'
import type { Answered } from './runtime.ts'
import { wishedGrant } from './wished-grant.ts'

type AnswerEvent = Extract<CallEvent, { type: 'call.answered' }>
type EndEvent = Extract<CallEvent, { type: 'call.ended' }>

const dayMs = 24 * 60 * 60 * 1000
const maxReason = 500

/**
 * Records one person's word on a pending call, or says why not; executes nothing. The append is guarded by the
 * length that was read, so that of two answers exactly one is taken. Never rejects.
 */
export async function answer(
  deps: CallDeps,
  call: CallRef,
  given: Answer,
  principal: Principal,
  channel: ApprovalChannel,
): Promise<Answered> {
  try {
    if (deps.signal.aborted) return no('HOST_CLOSED', 'The host is closed.', 'Make a new host.')
    const state = await readCall(deps.store, call)
    // Who may not decide learns nothing about what waits; only a client's own person is asked about its own calls.
    const isAsked = channel === 'elicitation' && state.proposed?.principal === principal.id
    if (!mayDecide(principal) && !isAsked) return notFound()
    const working = await readWorking(deps.store, call.stream)
    const question = questionOf(state, working, deps.clock.now())
    const refusal = await refuse(deps, { state, working, question }, given, { principal, channel })
    if (refusal !== undefined) return refusal
    const { proposed } = state
    if (proposed === undefined || question === undefined) return notFound()
    const grant = grantOf(deps, given, { working, proposed }, principal)
    const said = given.kind === 'input' ? addSaid(deps, working, given.data) : undefined
    if (said?.ok === false)
      return no('INPUT_INVALID', visibleText(said.message), 'Correct the values; the call still waits.')
    const argsDigest = said && digestArguments(said.text, await deps.digestKey())

    const word = wordOf(given)
    const answered: AnswerEvent = {
      type: 'call.answered',
      callId: call.callId,
      by: principal.id,
      channel,
      answer: word,
      ...(argsDigest === undefined ? {} : { args: argsDigest }),
      ...(given.reason === undefined ? {} : { reason: redactSecrets(given.reason).slice(0, maxReason) }),
      self: working?.principal.person === principal.person,
      ...(grant === undefined ? {} : { grant: { id: grant.id, until: grant.until, args: grant.args } }),
    }
    const end = endBy(word, call.callId)
    const record = openRecord(deps.store, call.callId, proposed.principal)
    const dueAt = question.kind === 'unknown' ? deps.clock.now() + dayMs : question.expiresAt
    const kept = working && said ? { ...working, args: said.text } : working
    const written = await (end === undefined
      ? record.append(state.length, [answered], { status: 'answered', dueAt }, kept)
      : record.append(state.length, [answered, end], { status: end.status }))
    if (written === 'conflict') return decidedBefore()
    if (grant !== undefined) await deps.grants.add(grant)
    if (end !== undefined) deps.notify(new CallFinished({ ...end, tool: proposed.tool }))
    return { ok: true }
  } catch (error) {
    const isTold = (['GRANT_REFUSED', 'KEY_UNKNOWN', 'STORE_TAMPERED'] as const).find((code) =>
      isRollcallError(error, code),
    )
    if (isTold !== undefined && isRollcallError(error)) return no(isTold, error.message, error.hint)
    deps.logger.error('a decision could not be recorded', { callId: call.callId, ...describeThrown(error) })
    return no('STORE_UNAVAILABLE', 'The decision could not be recorded.')
  }
}

/** Whether a principal may see and decide what waits in other names than its own. */
export function mayDecide(principal: Principal): boolean {
  return principal.admin === true || principal.scopes.includes('runs:approve')
}

async function refuse(
  deps: CallDeps,
  found: {
    readonly state: CallState
    readonly working: WorkingCall | undefined
    readonly question: Question | undefined
  },
  given: Answer,
  by: { readonly principal: Principal; readonly channel: ApprovalChannel },
): Promise<Answered | undefined> {
  const { principal, channel } = by
  const { state, working, question } = found
  if (state.proposed === undefined) return notFound()
  if (question === undefined) return state.ended?.code === 'APPROVAL_EXPIRED' ? expired() : decidedBefore()
  if (mayStart(state)) return decidedBefore()
  if (question.expiresAt <= deps.clock.now()) return expired()
  // Whatever is asked may be refused.
  const isNo = given.kind === 'approval' && given.approved !== true && question.kind === 'input'
  if (question.kind !== given.kind && !isNo)
    return no('APPROVAL_NOT_FOUND', `The call waits for an answer of kind "${question.kind}", not "${given.kind}".`)
  if (question.binds !== given.binds)
    return no('APPROVAL_STALE', 'The call is not the one that was shown: look at it again before you decide.')
  // Saying no is always allowed; having it executed only by whoever could call it.
  const word = wordOf(given)
  if (word !== 'approved' && word !== 'submitted' && word !== 'retry') return undefined
  if (working === undefined) return notFound()
  const entry = deps.catalogue().entries.get(working.tool)
  const own = deps.profiles.get(working.profile)
  // Who is asked by way of a client sees what that client sees.
  const profile = channel === 'elicitation' ? own : deps.profiles.get('direct')
  if (entry === undefined || profile === undefined || own === undefined)
    return no('APPROVAL_STALE', `${working.tool} is not in the catalogue any more.`)
  const { tool, principal: owner } = working
  const route = { tool, owner, askedAt: question.askedAt, now: deps.clock.now(), isInput: question.kind === 'input' }
  const refusal = routeRefusal(own, route, by)
  if (refusal !== undefined) return no(refusal.code, refusal.message, refusal.hint)
  const verdict = gateCall(deps, {
    entry,
    parsed: parseArguments(entry, working.args),
    profile,
    options: { principal },
    // What its owner had read says nothing about who approves.
    taint: untainted,
  })
  return verdict.verdict === 'deny'
    ? no('TOOL_DENIED', `You may not approve ${working.tool}: ${verdict.decidedBy}.`)
    : undefined
}

/** What a person says is checked before anything is written. */
function addSaid(deps: CallDeps, working: WorkingCall | undefined, data: Json): WithInput {
  const entry = working && deps.catalogue().entries.get(working.tool)
  if (working === undefined || entry === undefined) return { ok: false, message: 'nothing waits for it any more' }
  return addInput(entry, working.args, data)
}

function grantOf(
  deps: CallDeps,
  given: Answer,
  call: { readonly working: WorkingCall | undefined; readonly proposed: NonNullable<CallState['proposed']> },
  by: Principal,
): Grant | undefined {
  if (given.kind !== 'approval' || given.approved !== true || given.grant === undefined) return undefined
  const { working, proposed } = call
  const entry = working && deps.catalogue().entries.get(working.tool)
  if (working === undefined || entry === undefined) return undefined
  return wishedGrant(given.grant, { working, proposed, entry }, { by, now: deps.clock.now() })
}

/** What a person said, in the journal's words. What is no clear yes is a no. */
function wordOf(given: Answer): AnswerEvent['answer'] {
  if (given.kind === 'approval') return given.approved === true ? 'approved' : 'denied'
  if (given.kind === 'input') return 'submitted'
  return given.treatAs === 'done' || given.treatAs === 'retry' ? given.treatAs : 'abort'
}

/** The end that an answer is at once; none where the call is still to be executed. */
function endBy(word: AnswerEvent['answer'], callId: string): EndEvent | undefined {
  const end = { type: 'call.ended', callId, durationMs: 0 } as const
  if (word === 'denied') return { ...end, status: 'denied', code: 'APPROVAL_DENIED' }
  if (word === 'done') return { ...end, status: 'ok' }
  // Given up: that it never happened is more than anybody knows.
  return word === 'abort' ? { ...end, status: 'unknown', code: 'TOOL_OUTCOME_UNKNOWN' } : undefined
}

function no(code: RollcallErrorCode, message: string, hint = 'What waits: rollcall approvals'): Answered {
  return { ok: false, code, message, hint }
}

const notFound = () => no('APPROVAL_NOT_FOUND', 'No call of that id waits for you.')
const decidedBefore = () => no('APPROVAL_DECIDED', 'The call was decided, executed or cancelled before.')
const expired = () => no('APPROVAL_EXPIRED', 'Nobody decided the call in time; make it again.')
