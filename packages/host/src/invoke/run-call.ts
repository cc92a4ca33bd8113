import { canonicalJson, digestOf, isRollcallError } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { Verdict } from '../gate/gate.ts'
import { grantFault } from '../gate/may-grant.ts'
import type { Profile } from '../gate/profile.ts'
import { type Taint, untainted } from '../gate/taint.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { handOut } from '../results/hand-out.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import { type CallRecord, digestArguments, ownerOf, type WorkingCall } from './call-record.ts'
import { type EndedOutcome, endCall } from './end-call.ts'
import { type Executed, execute, longestMs } from './execute.ts'
import { guardExecuted } from './guard-call.ts'
import type { ToolOutcome } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'
import { decided } from './recorded-outcome.ts'
import type { CallOptions } from './runtime.ts'
import { failed, toOutcome } from './to-outcome.ts'

/** A call that may run now. */
export interface ReadyCall {
  readonly entry: CatalogueEntry
  /** The canonical text that was gated (and approved). */
  readonly args: string
  /** What the journal says of that text. */
  readonly argsDigest: ArgumentsDigest
  readonly profile: Profile
  readonly options: CallOptions
  readonly begun: number
  /** What the gate said. */
  readonly verdict: Verdict
}

/** How far the journal of a call is, and what of it is not written yet. */
export interface Journal {
  readonly length: number
  readonly opening: readonly CallEvent[]
}

/**
 * Claims, executes and records. A write has its `call.started` committed before it starts, and losing that append
 * means that another process runs it. A read that nobody approved is written down once, after it.
 */
export async function runCall(
  deps: CallDeps,
  record: CallRecord,
  journal: Journal,
  call: ReadyCall,
  preview: readonly string[] = [],
): Promise<ToolOutcome> {
  const { callId } = record
  const { entry, options } = call
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - call.begun })
  const signal = options.signal === undefined ? deps.signal : AbortSignal.any([deps.signal, options.signal])

  const place = await takePlace(deps, call, signal)
  if (typeof place !== 'function') return await endUnstarted(deps, record, journal, call, toOutcome(place, elapsed()))
  try {
    const until = deps.clock.now() + longestMs(entry)
    const claim: readonly CallEvent[] = [...journal.opening, { type: 'call.started', callId, until }]
    let length = journal.length
    let unwritten = claim
    if (entry.traits.effect !== 'read' || journal.length > 0) {
      const head = { status: 'started', dueAt: until }
      if ((await record.append(length, claim, head, toWorking(call, preview))) === 'conflict') return decided(elapsed())
      length += claim.length
      unwritten = []
    }
    const executed = await executeUnchanged(deps, callId, call, signal)
    const guarded = await guardExecuted(deps, { callId, ...call }, executed, elapsed)
    const outcome = await handOver(deps, call, executed, guarded.outcome)
    // Whoever asks again finds it as soon as the call is over.
    if (journal.length > 0 && options.client !== undefined) await keep(deps, record, call, outcome)
    await deps.content?.keepText(ownerOf(record, options), outcome.text).catch((error: unknown) => {
      deps.logger.warn('what a call said could not be kept for the audit', { callId, ...describeThrown(error) })
    })
    await endCall(deps, record, { length, unwritten }, entry.name, outcome, guarded.guardrails)
    return outcome
  } finally {
    place()
  }
}

/** What an approval is about: the tool's definition with its launch, and the very arguments. */
export function bindingOf(entry: CatalogueEntry, args: string): ReturnType<typeof digestOf> {
  return digestOf({ definition: entry.digest, args })
}

/** What is kept of a call so that another process can put it before a person, or execute it. */
export function toWorking(call: ReadyCall, preview: readonly string[], taint: Taint = untainted): WorkingCall {
  const { entry, args, profile, options, verdict } = call
  const { principal, allow = null, client } = options
  const { decidedBy } = verdict
  return {
    tool: entry.name,
    args,
    preview,
    principal,
    profile: profile.name,
    allow,
    asked: { decidedBy, why: verdict.votes.find(({ rule }) => rule === decidedBy)?.why ?? '' },
    once: grantFault({ ...entry, profile, verdict }) ?? null,
    taint: { dataClass: taint.dataClass ?? null, origins: taint.origins },
    client: client === undefined ? null : { name: client.name, session: client.session },
  }
}

/** The host is closed: nothing is executed any more. */
export function hostClosed(elapsed: { readonly callId: string; readonly durationMs: number }) {
  return failed(elapsed, 'HOST_CLOSED', 'The host is closed, so nothing was executed.', 'Make a new host.')
}

async function takePlace(deps: CallDeps, call: ReadyCall, signal: AbortSignal): Promise<(() => void) | Executed> {
  try {
    return await deps.slots.take(call.entry.appId, call.options.principal.id, signal)
  } catch (error) {
    if (deps.signal.aborted)
      return { status: 'failed', code: 'HOST_CLOSED', message: 'The host is closed.', hint: 'Make a new host.' }
    if (!signal.aborted && isRollcallError(error))
      return { status: 'failed', code: error.code, message: error.message, hint: error.hint }
    return { status: 'cancelled' }
  }
}

/** An outcome that can't be kept costs whoever asks again its text, and nobody a second execution. */
async function keep(
  deps: CallDeps,
  { stream, callId }: CallRecord,
  call: ReadyCall,
  outcome: EndedOutcome,
): Promise<void> {
  try {
    await deps.kept.keep(stream, call.options.principal.id, outcome)
  } catch (error) {
    deps.logger.warn('an outcome could not be kept', { callId, ...describeThrown(error) })
  }
}

/**
 * Before anybody gets what was read, redacted whole by now: it is noted that the caller may say it to whoever
 * it talks to next, and a model gets as much as it may get at once.
 */
async function handOver(
  deps: CallDeps,
  { entry, options }: ReadyCall,
  executed: Executed,
  outcome: EndedOutcome,
): Promise<EndedOutcome> {
  if (executed.status !== 'done') return outcome
  try {
    await deps.taints.note(options, { name: entry.name, dataClass: entry.traits.dataClass })
    return await handOut(deps, entry.name, outcome, options)
  } catch (error) {
    const { callId, durationMs } = outcome
    deps.logger.error('a result could not be handed out', { callId, ...describeThrown(error) })
    const text = `${entry.name} was executed, but its result is withheld: it could not be noted or kept.`
    return failed({ callId, durationMs }, 'STORE_UNAVAILABLE', text, 'Check the store; do not repeat a write.')
  }
}

/** No place was to be had, so nothing began. What was approved when the host closes is left to another process. */
async function endUnstarted(
  deps: CallDeps,
  record: CallRecord,
  { length, opening }: Journal,
  { entry, begun }: ReadyCall,
  outcome: ReturnType<typeof toOutcome>,
): Promise<ToolOutcome> {
  if (deps.signal.aborted && length > 0) return outcome
  const end = await endCall(deps, record, { length, unwritten: opening }, entry.name, outcome)
  return end === 'ended' ? outcome : decided({ callId: record.callId, durationMs: deps.clock.now() - begun })
}

/** The tool gets a value made from the text of the gate, and only if that still is the one of the journal. */
async function executeUnchanged(
  deps: CallDeps,
  callId: string,
  { entry, args, argsDigest, profile, options }: ReadyCall,
  signal: AbortSignal,
): Promise<Executed> {
  const key = await deps.digestKey()
  const value = rebuild(args)
  if (digestArguments(canonicalJson(value), key) === argsDigest)
    return await execute(deps, entry, value, { callId, profile, options, signal, key })
  return {
    status: 'failed',
    code: 'APPROVAL_STALE',
    message: `The arguments of ${entry.name} are not those that were let through, so it was not executed.`,
    hint: 'Make the call again.',
  }
}
