import type { Principal } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { StreamId } from '../store/store.ts'
import { mayDecide } from './answer.ts'
import type { CallDeps } from './call-deps.ts'
import { readCall } from './call-record.ts'
import type { CallState } from './fold-call.ts'
import type { Approval } from './outcome.ts'
import { mayStart, questionOf, toPending } from './question.ts'
import { readWorking } from './read-working.ts'
import { expire } from './resume.ts'

/**
 * What waits for a person or was just decided, oldest first; calls that nobody decided in time are ended on the way.
 * Among them are writes that a process began and never ended. A row that can't be read hides no other.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function listPending(deps: CallDeps, principal: Principal): Promise<readonly Approval[]> {
  const own = mayDecide(principal) ? {} : { principal: principal.id }
  const heads = [
    ...(await deps.store.heads({ kind: 'call', status: 'waiting', ...own })),
    ...(await deps.store.heads({ kind: 'call', status: 'answered', ...own })),
    ...(await deps.store.heads({ kind: 'call', status: 'started', dueBefore: deps.clock.now() + 1, ...own })),
  ]
  // A call that was answered between two of these stands in both.
  const streams = [...new Set(heads.map(({ stream }) => stream))]
  const approvals = await Promise.all(streams.map((stream) => readApproval(deps, stream)))
  return approvals.filter((approval) => approval !== undefined).sort((a, b) => a.askedAt - b.askedAt)
}

/** One call as it waits; `undefined` when it does not, or can't be read. A call that nobody decided in time is ended. */
export async function readApproval(deps: CallDeps, stream: StreamId): Promise<Approval | undefined> {
  const call = { stream, callId: stream.slice('call/'.length) }
  try {
    const state = await readCall(deps.store, call)
    const working = await readWorking(deps.store, stream)
    const question = questionOf(state, working, deps.clock.now())
    if (question !== undefined && question.expiresAt <= deps.clock.now()) {
      await expire(deps, call, state, question, { callId: call.callId, durationMs: 0 })
      return undefined
    }
    if (question === undefined || working === undefined) return undefined
    return {
      pending: toPending(call, question, working),
      principal: working.principal.id,
      profile: working.profile,
      askedAt: question.askedAt,
      claimed: state.started !== undefined,
      ...decisionOf(state),
    }
  } catch (error) {
    deps.logger.warn('a pending call can not be read', { callId: call.callId, ...describeThrown(error) })
    return undefined
  }
}

/** What was said about the open question; nothing yet about a call that was executed and lost. */
function decisionOf(state: CallState): Pick<Approval, 'decision'> {
  const { answered } = state
  if (answered === undefined || !mayStart(state)) return {}
  const { by, reason, at } = answered
  return { decision: { by, approved: true, at, ...(reason === undefined ? {} : { reason }) } }
}
