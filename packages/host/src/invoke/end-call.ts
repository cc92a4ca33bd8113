import { CallFinished, type RollcallErrorCode } from '@rollcall/plugin'
import { systemClock } from '../ports/system-clock.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import type { CallRecord } from './call-record.ts'
import type { ToolOutcome } from './outcome.ts'

const retryPausesMs = [50, 250, 0]

/** How a call ended. */
export type EndedOutcome = Exclude<ToolOutcome, { status: 'waiting' }>

/**
 * Writes the last event of a call and tells listeners, once for each call. A store that fails changes nothing: the call
 * is over, and a write without its end is found as `unknown`. Never rejects.
 *
 * @returns `conflict` when another process wrote first: then this outcome is not the one of the record; `failed` when
 * nobody could write it down.
 */
export async function endCall(
  deps: CallDeps,
  record: CallRecord,
  journal: { readonly length: number; readonly unwritten: readonly CallEvent[] },
  tool: string,
  outcome: Pick<EndedOutcome, 'status' | 'callId' | 'durationMs'> & { readonly code?: RollcallErrorCode },
  guardrails: readonly string[] = [],
): Promise<'ended' | 'conflict' | 'failed'> {
  const { status, callId, durationMs } = outcome
  const code = outcome.code === undefined ? {} : { code: outcome.code }
  const by = guardrails.length === 0 ? {} : { guardrails }
  const end: CallEvent = { type: 'call.ended', callId, status, ...code, durationMs, ...by }
  const written = await appendPatiently(deps, record, journal.length, [...journal.unwritten, end], status)
  if (written !== 'appended') deps.logger.error('the end of a call was not recorded', { callId, status, written })
  if (written === 'conflict') return 'conflict'
  deps.notify(new CallFinished({ callId, tool, status, durationMs }))
  return written === 'appended' ? 'ended' : 'failed'
}

/** The last word of a call is worth a second try, and a third: without it a write looks as if it were lost. */
async function appendPatiently(
  deps: CallDeps,
  record: CallRecord,
  length: number,
  events: readonly CallEvent[],
  status: string,
): Promise<'appended' | 'conflict' | 'failed'> {
  for (const pauseMs of retryPausesMs) {
    const written = await record.append(length, events, { status }).catch(() => 'failed' as const)
    if (written !== 'failed') return written
    // By the time of this machine: a host's clock may stand still.
    if (pauseMs > 0 && !deps.signal.aborted) await systemClock.sleep(pauseMs, deps.signal)
  }
  return 'failed'
}
