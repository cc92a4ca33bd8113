import { redactSecrets } from '@rollcall/plugin'
import type { ToolView } from '../catalogue/catalogue.ts'
import type { Verdict } from '../gate/gate.ts'
import type { Profile } from '../gate/profile.ts'
import type { CheckContext, Checked } from '../guardrails/create-guardrails.ts'
import { treatResult } from '../guardrails/treat-result.ts'
import { treatTexts } from '../guardrails/treat-texts.ts'
import type { CallDeps } from './call-deps.ts'
import type { EndedOutcome } from './end-call.ts'
import type { Executed } from './execute.ts'
import type { CallOptions } from './runtime.ts'
import { excessOf, failed, toOutcome, tooBig } from './to-outcome.ts'

/** The call that guardrails are asked about. */
export interface GuardedCall {
  readonly callId: string
  readonly entry: Pick<ToolView, 'name' | 'appId' | 'plugin'>
  readonly profile: Profile
  readonly options: Pick<CallOptions, 'principal' | 'signal'>
}

type Elapsed = { readonly callId: string; readonly durationMs: number }

/** Puts the canonical arguments before the guardrails. They are never rewritten: they pass, wait for a person or not. */
export async function guardArguments(deps: CallDeps, call: GuardedCall, args: string): Promise<Checked | undefined> {
  if (!deps.guardrails.watches('toolArguments')) return undefined
  const { signal } = call.options
  return deps.guardrails.check('toolArguments', [args], { ...aboutCall(call), ...(signal !== undefined && { signal }) })
}

/** What the person reads who is asked because a guardrail wants it: its reason, where the gate's would stand. */
export function askedBy(verdict: Verdict, { reasons }: Checked): Verdict {
  const why = reasons.join('; ')
  const votes = verdict.votes.filter(({ rule }) => rule !== 'approval')
  return { verdict: 'ask', decidedBy: 'approval', votes: [...votes, { rule: 'approval', vote: 'ask', why }] }
}

/** The outcome for arguments that a guardrail does not let pass. */
export function argumentsDenied({ entry }: GuardedCall, { reasons, hint }: Checked, elapsed: Elapsed): EndedOutcome {
  const text = `The arguments of ${entry.name} are denied by a guardrail: ${reasons.join('; ') || (hint ?? 'no reason given')}.`
  return {
    ...elapsed,
    status: 'denied',
    code: 'GUARDRAIL_DENIED',
    text,
    hint: hint ?? 'Nothing was executed. Other arguments may pass.',
  }
}

/** How an execution ended, as its caller may see it, and which guardrails had a say in that. */
export async function guardExecuted(
  deps: CallDeps,
  call: GuardedCall,
  executed: Executed,
  elapsed: () => Elapsed,
): Promise<{ readonly outcome: EndedOutcome; readonly guardrails: readonly string[] }> {
  try {
    return await guard(deps, call, executed, elapsed)
  } catch {
    // A provider may hand back anything; it must not look as if nothing had been executed.
    const text = 'The tool ran, but its result can not be read.'
    return { outcome: failed(elapsed(), 'TOOL_FAILED', text, 'Its author has to correct it.'), guardrails: [] }
  }
}

async function guard(deps: CallDeps, call: GuardedCall, executed: Executed, elapsed: () => Elapsed) {
  const context = { ...aboutCall(call), from: call.entry.name }
  if (executed.status === 'cancelled') return { outcome: toOutcome(executed, elapsed()), guardrails: [] }
  if (executed.status === 'done') {
    // Nobody gets to see it, so nobody has to read it.
    const size = excessOf(executed.result.content ?? [], executed.result.structured, executed.result.meta)
    if (size !== undefined) return { outcome: tooBig(size, elapsed()), guardrails: [] }
    const treated = await treatResult(deps.guardrails, executed.result, context)
    if (!treated.ok) return { outcome: withheld(call, treated, elapsed()), guardrails: treated.guardrails }
    const outcome = toOutcome({ status: 'done', result: treated.result }, elapsed())
    return { outcome: flagged(outcome, treated.suspicious), guardrails: treated.guardrails }
  }
  const words = [executed.message, redactSecrets(executed.hint)]
  const pieces = words.map((text) => ({ kind: 'text', text }) as const)
  const treated = await treatTexts(deps.guardrails, pieces, context)
  if (!treated.ok) return { outcome: withheld(call, treated, elapsed(), executed), guardrails: treated.guardrails }
  const [message = '', hint = ''] = treated.pieces.map((piece) => (piece.kind === 'text' ? piece.text : ''))
  const outcome = toOutcome({ ...executed, message, hint }, elapsed())
  return { outcome: flagged(outcome, treated.suspicious), guardrails: treated.guardrails }
}

/** A write whose end is not known stays one; of everything else there is to say that it ran. */
function withheld(
  { entry }: GuardedCall,
  { reasons }: { readonly reasons: readonly string[] },
  elapsed: Elapsed,
  executed?: Exclude<Executed, { status: 'done' | 'cancelled' }>,
): EndedOutcome {
  const why = reasons.join('; ') || 'no reason given'
  if (executed?.status === 'unknown')
    return {
      ...elapsed,
      status: 'unknown',
      code: executed.code,
      text: `What ${entry.name} answered is withheld by a guardrail: ${why}. It may have happened; do not repeat it before you have looked.`,
      hint: 'Look at the target before you repeat it.',
    }
  const text = `${entry.name} was executed, and its answer is withheld by a guardrail: ${why}.`
  return failed(elapsed, 'GUARDRAIL_DENIED', text, 'Do not repeat it: the answer would be withheld again.')
}

function flagged(outcome: EndedOutcome, suspicious: readonly string[]): EndedOutcome {
  const canBeFlagged = outcome.status === 'ok' || outcome.status === 'failed'
  return canBeFlagged && suspicious.length > 0 ? { ...outcome, suspicious } : outcome
}

function aboutCall({ callId, entry, profile, options }: GuardedCall): CheckContext {
  return {
    subject: entry.name,
    appId: entry.appId,
    principal: options.principal,
    profile: profile.name,
    callId,
  }
}
