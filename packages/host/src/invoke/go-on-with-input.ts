import { withoutInput } from './add-input.ts'
import { ask } from './ask.ts'
import type { CallDeps } from './call-deps.ts'
import { type CallRecord, ownerOf } from './call-record.ts'
import type { EndedOutcome } from './end-call.ts'
import type { ToolOutcome } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'
import type { Question } from './question.ts'
import { bindingOf, type Journal, type ReadyCall, runCall } from './run-call.ts'

type Elapsed = { readonly callId: string; readonly durationMs: number }

/** A person has said what was missing: now the call is whole, and is approved or executed as it is. */
export async function goOnWithInput(
  deps: CallDeps,
  record: CallRecord,
  journal: Journal,
  ready: ReadyCall,
  about: {
    readonly question: Question
    readonly guardrails: readonly string[] | undefined
    readonly elapsed: Elapsed
    end(outcome: EndedOutcome): Promise<ToolOutcome>
  },
): Promise<ToolOutcome> {
  const { entry, verdict } = ready
  await deps.content?.keepArguments(ownerOf(record, ready.options), ready.argsDigest, ready.args)
  const before = withoutInput(entry, rebuild(ready.args))
  const isStale = bindingOf(entry, before) !== about.question.binds
  if (isStale && entry.form === undefined) {
    const text = `${entry.name} does not ask for anything any more, so the call was not executed.`
    return await about.end({ ...about.elapsed, status: 'denied', code: 'APPROVAL_STALE', text, hint: 'Make it again.' })
  }
  if (isStale) {
    const again = await ask(deps, record, journal, { ...ready, args: before }, entry.form && { form: entry.form })
    const text = `APPROVAL_STALE: ${entry.name} is not what was asked about any more, so it asks again.`
    return again.status === 'waiting' ? { ...again, text } : again
  }
  if (verdict.verdict === 'ask') return await ask(deps, record, journal, ready, { guardrails: about.guardrails })
  return await runCall(deps, record, journal, ready)
}
