import {
  canonicalJson,
  isRollcallError,
  type JsonObject,
  type RollcallErrorCode,
  redactSecrets,
  visibleText,
} from '@rollcall/plugin'
import type { FeatureEntry } from '../catalogue/catalogue.ts'
import { decide } from '../gate/decide.ts'
import type { GateSubject, Verdict } from '../gate/gate.ts'
import type { Profile } from '../gate/profile.ts'
import { untainted } from '../gate/taint.ts'
import { subjectOf } from '../gate/to-subject.ts'
import { treatAnswer } from '../guardrails/treat-answer.ts'
import type { CallDeps } from '../invoke/call-deps.ts'
import { digestArguments, gated, newCallId, openRecord, proposed } from '../invoke/call-record.ts'
import { notRecorded } from '../invoke/call-tool.ts'
import { endCall } from '../invoke/end-call.ts'
import { type Executed, execute } from '../invoke/execute.ts'
import { readTaint } from '../invoke/read-taint.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import type { FeatureAnswer, FeatureRequest } from '../providers/provider.ts'
import type { FeatureOutcome } from './feature-runtime.ts'

type Kind = Exclude<GateSubject['kind'], 'tool'>
type Without<T> = T extends FeatureOutcome ? Omit<T, 'callId' | 'durationMs'> : never
type Ended = Without<FeatureOutcome>
type Failure = Without<Exclude<FeatureOutcome, { status: 'ok' }>>

/** One request for something that is no tool. */
export interface AskedFeature {
  readonly kind: Kind
  /** As asked for: a public name, or an address. */
  readonly name: string
  /** Absent: nobody has it. */
  readonly entry?: FeatureEntry
  /** The consumer does not see where it comes from: it is denied, whatever its own name says. */
  readonly unseen?: true
  /** Why it can not be told whose it is. */
  readonly ambiguous?: readonly string[]
  /** The name that the gate's patterns know. */
  readonly gateName: string
  readonly request: FeatureRequest
}

const timeoutMs = 60_000
const maxResultBytes = 10_000_000

/**
 * The story of a request that is no tool call: gate, provider, bound, record. One record each, also for what is denied or
 * not there. Never rejects.
 */
export async function requestFeature(
  deps: CallDeps,
  profile: Profile,
  asked: AskedFeature,
  options: CallOptions,
): Promise<FeatureOutcome> {
  const begun = deps.clock.now()
  const callId = newCallId(begun)
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - begun })
  try {
    const { entry, kind, name, gateName, request } = asked
    const { principal, allow } = options
    const taint = await readTaint(deps, entry, options)
    const subject = entry && subjectOf(entry, kind, gateName)
    const verdict = decide({
      subject,
      principal,
      profile,
      policy: deps.policy,
      taint: taint ?? untainted,
      args: request.params,
      ...(allow !== undefined && { allow }),
    })
    const args = digestArguments(textOf(request.params), await deps.digestKey())
    const recorded = entry && { ...entry, original: name.slice(0, 256) }
    const unwritten = [
      proposed(callId, name, recorded, args, { principal, profile, subject: kind }),
      gated(callId, verdict, { taint }),
    ]
    const refused = refusal(asked, verdict, profile)
    const performed =
      refused ?? (entry && (await perform(deps, entry, asked, { callId, profile, options }))) ?? notThere(asked)
    const context = { subject: name, principal, profile: profile.name, callId }
    const { ended, guardrails } = await guardAnswer(deps, performed, { ...context, from: entry?.appId ?? '' })
    const outcome: FeatureOutcome = { ...ended, ...elapsed() }
    const record = openRecord(deps.store, callId, principal.id)
    await endCall(deps, record, { length: 0, unwritten }, shown(name), outcome, guardrails)
    return outcome
  } catch (error) {
    const {
      code,
      text,
      hint = '',
    } = notRecorded(deps, error, elapsed()) as Extract<FeatureOutcome, { status: 'failed' }>
    return { ...elapsed(), status: 'failed', code, text, hint }
  }
}

/** Half a character has no canonical text; the attempt is recorded all the same. */
function textOf(params: JsonObject): string {
  try {
    return canonicalJson(params)
  } catch {
    return ''
  }
}

/** Puts what a server answered, its errors too, before the guardrails. */
async function guardAnswer(
  deps: CallDeps,
  ended: Ended,
  context: Parameters<typeof treatAnswer>[2],
): Promise<{ readonly ended: Ended; readonly guardrails: readonly string[] }> {
  const answer = ended.status === 'ok' ? ended.result : ended.status === 'failed' ? ended.error : undefined
  if (answer === undefined) return { ended, guardrails: [] }
  const treated = await treatAnswer(deps.guardrails, answer, { ...context, appId: context.from })
  const { guardrails } = treated
  if (!treated.ok) {
    const text = `What ${context.from} answered is withheld by a guardrail: ${treated.reasons.join('; ')}.`
    return { ended: failure('failed', 'GUARDRAIL_DENIED', text, 'Ask for something else.'), guardrails }
  }
  const { value, suspicious } = treated
  const flags = suspicious.length > 0 ? { suspicious } : {}
  if (ended.status === 'ok') return { ended: { ...ended, result: value, ...flags }, guardrails }
  if (ended.status !== 'failed' || value === answer) return { ended, guardrails }
  const error = value as NonNullable<typeof ended.error>
  return { ended: { ...ended, text: `${context.from} answered: ${visibleText(error.message)}`, error }, guardrails }
}

function refusal(asked: AskedFeature, { verdict, votes, decidedBy }: Verdict, profile: Profile): Failure | undefined {
  const { ambiguous, entry, kind, name } = asked
  if (ambiguous !== undefined) {
    const text = `${shown(name)} could mean ${ambiguous.join(' or ')}.`
    return failure('failed', 'AMBIGUOUS_ORIGIN', text, `Ask for ${ambiguous[0]}+${shown(name)}, or another of them.`)
  }
  if (entry === undefined) return notThere(asked)
  if (verdict === 'allow') return asked.unseen === true ? notThere(asked) : undefined
  const why = votes.find(({ rule }) => rule === decidedBy)?.why ?? ''
  if (verdict === 'ask') {
    const text = `The ${kind} ${shown(name)} would need a person's approval, which only tools can wait for.`
    return failure('denied', 'FEATURE_DENIED', text, `Use a tool of ${entry.appId}, or set its "approval" to "writes".`)
  }
  const text = `The ${kind} ${shown(name)} is denied by the rule "${decidedBy}": ${why}.`
  return failure(
    'denied',
    'FEATURE_DENIED',
    text,
    `Look at the profile ${profile.name} and "providers.${entry.appId}".`,
  )
}

function notThere({ kind, name }: AskedFeature): Failure {
  return failure('denied', 'FEATURE_NOT_FOUND', `There is no ${kind} ${shown(name)}.`, 'List what there is again.')
}

async function perform(
  deps: CallDeps,
  entry: FeatureEntry,
  asked: AskedFeature,
  context: { readonly callId: string; readonly profile: Profile; readonly options: CallOptions },
): Promise<Ended> {
  const { options } = context
  const signal = options.signal === undefined ? deps.signal : AbortSignal.any([deps.signal, options.signal])
  let leave: (() => void) | undefined
  try {
    leave = await deps.slots.take(entry.appId, options.principal.id, signal)
    const key = await deps.digestKey()
    const executable = {
      ...entry,
      name: asked.gateName,
      timeoutMs,
      invoke: (_args: unknown, call: Parameters<FeatureEntry['request']>[1]) => entry.request(asked.request, call),
    }
    const executed = await execute<FeatureAnswer>(deps, executable, null, { ...context, signal, key })
    const { dataClass } = entry.traits
    if (executed.status === 'done') await deps.taints.note(options, { name: asked.gateName, dataClass })
    return ended(entry, executed)
  } catch (error) {
    if (signal.aborted) return { status: 'cancelled' }
    if (!isRollcallError(error)) throw error
    return failure('failed', error.code, error.message, error.hint)
  } finally {
    leave?.()
  }
}

function ended(entry: FeatureEntry, executed: Executed<FeatureAnswer>): Ended {
  if (executed.status === 'cancelled') return { status: 'cancelled' }
  if (executed.status !== 'done') return failure('failed', executed.code, executed.message, executed.hint)
  const answer = executed.result
  if (!answer.ok) {
    const { code, message, data } = answer.error
    const text = `${entry.appId} answered: ${visibleText(redactSecrets(message))}`
    return {
      ...failure('failed', 'FEATURE_FAILED', text, 'It is the server speaking.'),
      error: { code, message, ...(data !== undefined && { data }) },
    }
  }
  return withinBounds(entry, answer.result)
}

function withinBounds({ appId }: FeatureEntry, result: JsonObject): Ended {
  const bytes = sizeOf(result)
  if (bytes === undefined) {
    const text = `The answer of ${appId} can not be read: it is nested too deep.`
    return failure('failed', 'FEATURE_FAILED', text, 'Report it to the author of the server.')
  }
  if (bytes <= maxResultBytes) return { status: 'ok', appId, result }
  const text = `The answer of ${appId} has ${bytes} bytes, over the limit of ${maxResultBytes}.`
  return failure('failed', 'FEATURE_FAILED', text, 'Ask for less at a time.')
}

/** `undefined` for what can't be written as JSON. */
function sizeOf(result: JsonObject): number | undefined {
  try {
    return Buffer.byteLength(JSON.stringify(result))
  } catch {
    return undefined
  }
}

function failure<S extends 'failed' | 'denied'>(status: S, code: RollcallErrorCode, text: string, hint: string) {
  return { status, code, text, hint }
}

function shown(name: string): string {
  return visibleText(name.slice(0, 200)).replace(/[\n\t]/g, ' ')
}
