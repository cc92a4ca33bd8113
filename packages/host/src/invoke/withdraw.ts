import type { CallDeps } from './call-deps.ts'
import { openRecord, readCall } from './call-record.ts'
import { notRecorded } from './call-tool.ts'
import { endCall } from './end-call.ts'
import type { CallRef, ToolOutcome } from './outcome.ts'
import { questionOf } from './question.ts'
import { decided, recordedOutcome } from './recorded-outcome.ts'
import { isOwn, resume } from './resume.ts'
import type { CallOptions } from './runtime.ts'
import { toOutcome } from './to-outcome.ts'

const maxAttempts = 5

/**
 * Ends a call whose caller left before anybody began to execute it. Whoever wrote first counts: what was decided or
 * begun meanwhile is told as the record has it.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function withdraw(deps: CallDeps, call: CallRef, options: CallOptions): Promise<ToolOutcome> {
  const elapsed = { callId: call.callId, durationMs: 0 }
  const cancelled = toOutcome({ status: 'cancelled' }, elapsed)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const state = await readCall(deps.store, call)
    const { proposed } = state
    if (proposed === undefined || !isOwn(state, options.principal)) return await resume(deps, call, options)
    const question = questionOf(state, undefined, deps.clock.now())
    if (question?.kind !== 'approval') return recordedOutcome(state, elapsed)
    const record = openRecord(deps.store, call.callId, proposed.principal)
    const journal = { length: state.length, unwritten: [] }
    const ended = await endCall(deps, record, journal, proposed.tool, cancelled)
    if (ended === 'ended') return cancelled
    // It still waits, and could still be approved: nobody is told that it is cancelled.
    if (ended === 'failed') return notRecorded(deps, new Error('the end could not be written'), elapsed)
  }
  return decided(elapsed)
}
