import { CallFinished, digestOf, RollcallError } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { Profile } from '../gate/profile.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import type { CallRecord } from './call-record.ts'
import { type Executed, execute } from './execute.ts'
import type { ToolOutcome } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'
import type { CallOptions } from './runtime.ts'
import { failed, toOutcome } from './to-outcome.ts'

/** A call that may run now. `args` is the canonical text that was gated (and approved). */
export interface ReadyCall {
  readonly entry: CatalogueEntry
  readonly args: string
  readonly profile: Profile
  readonly options: CallOptions
  readonly begun: number
}

/**
 * Claims, executes and records. A write has its `call.started` committed before it starts, and losing that append
 * means that another process runs it. A read that nobody approved is written down once, after it.
 */
export async function runCall(
  deps: CallDeps,
  record: CallRecord,
  journal: { readonly length: number; readonly opening: readonly CallEvent[] },
  call: ReadyCall,
): Promise<ToolOutcome> {
  const { callId } = record
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - call.begun })
  const claim: readonly CallEvent[] = [...journal.opening, { type: 'call.started', callId }]
  const claimsFirst = call.entry.traits.effect !== 'read' || journal.length > 0
  let length = journal.length
  let unwritten = claim

  const release = await takeSlot(deps, call)
  if (typeof release !== 'function') return await refuse(deps, record, journal, release, elapsed(), call)
  try {
    if (claimsFirst) {
      const claimed = await record.append(length, claim, { status: 'started' })
      if (claimed === 'conflict') return decided(elapsed())
      length += claim.length
      unwritten = []
    }
    const outcome = toOutcome(
      await execute(deps, call.entry, rebuild(call.args), { callId, profile: call.profile, options: call.options }),
      elapsed(),
    )
    await recordEnd(deps, record, length, unwritten, outcome)
    notifyFinished(deps, call.entry.name, outcome)
    return outcome
  } finally {
    release()
  }
}

/** Another process, or an earlier resume, has this call: nothing is executed a second time. */
export function decided(elapsed: { readonly callId: string; readonly durationMs: number }): ToolOutcome {
  return failed(
    elapsed,
    'APPROVAL_DECIDED',
    'The call was decided or executed before.',
    'Nothing to do: a call is executed once.',
  )
}

/** What an approval is about: the tool's definition with its launch, and the very arguments. */
export function bindingOf(entry: CatalogueEntry, args: string): ReturnType<typeof digestOf> {
  return digestOf({ definition: entry.digest, args })
}

function takeSlot(deps: CallDeps, call: ReadyCall): Promise<(() => void) | Executed> {
  const signal = AbortSignal.any([deps.signal, ...(call.options.signal === undefined ? [] : [call.options.signal])])
  return deps.slots.take(call.entry.appId, call.options.principal.id, signal).catch((error: unknown): Executed => {
    if (error instanceof RollcallError)
      return { status: 'failed', code: error.code, message: error.message, hint: error.hint }
    return { status: 'cancelled' }
  })
}

/** No place was to be had, so nothing began; an approved call stays approved and can be resumed. */
async function refuse(
  deps: CallDeps,
  record: CallRecord,
  journal: { readonly length: number; readonly opening: readonly CallEvent[] },
  executed: Executed,
  elapsed: { readonly callId: string; readonly durationMs: number },
  call: ReadyCall,
): Promise<ToolOutcome> {
  const outcome = toOutcome(executed, elapsed)
  if (journal.length === 0) await recordEnd(deps, record, 0, journal.opening, outcome)
  notifyFinished(deps, call.entry.name, outcome)
  return outcome
}

/** Writes the last event. Observation fails soft: the call is over, whatever the store says. A write without its end is found as `unknown`. */
export async function recordEnd(
  deps: CallDeps,
  record: CallRecord,
  length: number,
  unwritten: readonly CallEvent[],
  outcome: ToolOutcome,
): Promise<void> {
  if (outcome.status === 'waiting') return
  const { status, callId, durationMs } = outcome
  const code = 'code' in outcome ? { code: outcome.code } : {}
  const end: CallEvent = { type: 'call.ended', callId, status, ...code, durationMs }
  const written = await record.append(length, [...unwritten, end], { status }).catch(() => 'failed')
  if (written !== 'appended') deps.logger.error('the end of a call was not recorded', { callId, status })
}

/** Tells listeners that a call is over. */
export function notifyFinished(deps: CallDeps, tool: string, outcome: ToolOutcome): void {
  if (outcome.status === 'waiting') return
  const { callId, status, durationMs } = outcome
  deps.notify(new CallFinished({ callId, tool, status, durationMs }))
}
