import { visibleText } from '@rollcall/plugin'
import type { EndedOutcome } from './end-call.ts'
import type { CallState } from './fold-call.ts'
import { failed } from './to-outcome.ts'

type Elapsed = { readonly callId: string; readonly durationMs: number }

/** How a call ended, as its record tells it: results are not kept there. */
export function recordedOutcome({ ended, answered }: CallState, elapsed: Elapsed): EndedOutcome {
  if (ended?.code === 'APPROVAL_DENIED') {
    const reason = answered?.reason === undefined ? '' : `: ${visibleText(answered.reason)}`
    const text = `Denied by ${visibleText(answered?.by ?? 'a person')}${reason}.`
    return { ...elapsed, status: 'denied', code: 'APPROVAL_DENIED', text }
  }
  if (ended?.code === 'APPROVAL_EXPIRED') return expired(elapsed)
  switch (ended?.status) {
    case 'denied':
      return { ...elapsed, status: 'denied', code: ended.code ?? 'TOOL_DENIED', text: 'The call was denied.' }
    case 'cancelled':
      return { ...elapsed, status: 'cancelled', text: 'The call was cancelled.' }
    case 'unknown':
      return unknownEnd(elapsed)
    case 'failed':
      return failed(
        elapsed,
        ended.code ?? 'TOOL_FAILED',
        'The call was executed, and failed.',
        'Whoever executed it knows more.',
      )
    default:
      return decided(elapsed)
  }
}

/** Another process, or an earlier resume, has this call: nothing is executed a second time. */
export function decided(elapsed: Elapsed): EndedOutcome {
  return failed(
    elapsed,
    'APPROVAL_DECIDED',
    'The call was decided or executed before.',
    'Nothing to do: a call is executed once.',
  )
}

/** Nobody decided in time, or nobody executed what was approved. */
export function expired(elapsed: Elapsed): EndedOutcome {
  const text = 'The call was not decided and executed in time.'
  return { ...elapsed, status: 'denied', code: 'APPROVAL_EXPIRED', text, hint: 'Make the call again.' }
}

/** A write began, and nobody can say how it ended. */
export function unknownEnd(elapsed: Elapsed): EndedOutcome {
  return {
    ...elapsed,
    status: 'unknown',
    code: 'TOOL_OUTCOME_UNKNOWN',
    text: 'The process that executed the call is gone. It may have happened; do not repeat it before you have looked.',
    hint: 'Look at the target before you repeat it.',
  }
}
