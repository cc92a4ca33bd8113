import { canonicalJson, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import { decide } from '../gate/decide.ts'
import type { GateSubject } from '../gate/gate.ts'
import type { Profile } from '../gate/profile.ts'
import { untainted } from '../gate/taint.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { CallerPort } from '../providers/provider.ts'
import type { CallDeps } from './call-deps.ts'
import { digestArguments, gated, newCallId, openRecord, proposed, type RecordedEntry } from './call-record.ts'
import { endCall } from './end-call.ts'
import type { CallOptions } from './runtime.ts'
import { safeElicitation, safeLogMessage, safeSampling } from './safe-question.ts'

type Question = 'elicitation' | 'sampling' | 'roots'

/** Who asks: the tool that was called, or the provider. */
export type AskingEntry = Pick<RecordedEntry, 'appId' | 'digest' | 'traits'> & { readonly name: string }

/**
 * What a provider gets of its caller: only what the profile lets servers ask, each question gated and recorded, and its
 * texts made safe to be read. A server can not pose as us, nor ask for what the profile keeps from it.
 */
export function guardCaller(
  deps: CallDeps,
  port: CallerPort,
  context: {
    readonly about: AskingEntry
    readonly profile: Profile
    readonly options: Pick<CallOptions, 'principal' | 'allow'>
  },
): CallerPort {
  const { about, profile } = context
  const { elicit, sample, roots, notify, ended } = port
  const ask = (kind: Question, params: JsonObject, put: () => Promise<JsonObject>) =>
    askCaller(deps, { ...context, kind, params, put })
  return {
    capabilities: allowedCapabilities(port.capabilities, profile),
    ...(ended !== undefined && { ended }),
    ...(elicit !== undefined && {
      elicit: (params, signal) =>
        ask('elicitation', params, () => elicit(safeElicitation(about.appId, params), signal)),
    }),
    ...(sample !== undefined && {
      sample: (params, signal) => ask('sampling', params, () => sample(safeSampling(params), signal)),
    }),
    ...(roots !== undefined && { roots: (signal) => ask('roots', {}, () => roots(signal)) }),
    ...(notify !== undefined && {
      notify(method, params) {
        if (method === 'notifications/message') notify(method, safeLogMessage(about.appId, params))
        else notify(method, params)
      },
    }),
  }
}

/** What servers are told that this caller can do. */
function allowedCapabilities(capabilities: JsonObject, profile: Profile): JsonObject {
  const { sampling, elicitation, roots } = capabilities
  return {
    ...(sampling !== undefined && profile.sampling === true && { sampling }),
    ...(elicitation !== undefined && profile.elicitation !== false && { elicitation }),
    ...(roots !== undefined && profile.roots !== false && { roots }),
  }
}

/** One question of a server to its caller: gate, ask, record. */
async function askCaller(
  deps: CallDeps,
  question: {
    readonly kind: Question
    readonly params: JsonObject
    readonly about: AskingEntry
    readonly profile: Profile
    readonly options: Pick<CallOptions, 'principal' | 'allow'>
    readonly put: () => Promise<JsonObject>
  },
): Promise<JsonObject> {
  const { kind, params, about, profile, options, put } = question
  const begun = deps.clock.now()
  const callId = newCallId(begun)
  const { principal } = options
  // The call it serves was approved, or needed no approval.
  const traits = { ...about.traits, approval: 'notNeeded', effect: 'read' } as const
  const subject: GateSubject = { kind, name: about.name, appId: about.appId, traits, holds: [] }
  const verdict = decide({
    subject,
    principal,
    profile,
    policy: deps.policy,
    args: params,
    taint: untainted,
    ...(options.allow && { allow: options.allow }),
  })

  const args = digestArguments(canonicalJson(params), await deps.digestKey())
  const record = openRecord(deps.store, callId, principal.id)
  const entry = { ...about, traits, original: kind }
  const unwritten = [
    proposed(callId, about.name, entry, args, { principal, profile, subject: kind }),
    gated(callId, verdict),
  ]
  const end = (status: 'ok' | 'failed' | 'denied', code?: 'FEATURE_DENIED' | 'FEATURE_FAILED') =>
    endCall(deps, record, { length: 0, unwritten }, about.name, {
      status,
      callId,
      durationMs: deps.clock.now() - begun,
      ...(code !== undefined && { code }),
    })
  if (verdict.verdict !== 'allow') {
    await end('denied', 'FEATURE_DENIED')
    const why = verdict.votes.find(({ rule }) => rule === verdict.decidedBy)?.why ?? ''
    throw new RollcallError('FEATURE_DENIED', `The ${kind} request of ${about.appId} is denied: ${why}.`, {
      hint: `Set "${kind}" of the profile ${profile.name}.`,
    })
  }
  try {
    const answer = await put()
    await end('ok')
    return bounded(answer, about.appId)
  } catch (error) {
    await end('failed', 'FEATURE_FAILED')
    deps.logger.debug('a question of a server was not answered', { provider: about.appId, ...describeThrown(error) })
    throw error
  }
}

const maxAnswerBytes = 10_000_000

function bounded(answer: JsonObject, appId: string): JsonObject {
  if (Buffer.byteLength(JSON.stringify(answer satisfies Json)) <= maxAnswerBytes) return answer
  throw new RollcallError('FEATURE_FAILED', `The answer to ${appId} has more than ${maxAnswerBytes} bytes.`, {
    hint: 'Answer with less.',
  })
}
