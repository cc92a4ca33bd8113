import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonObject, RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { type OnServerRequest, type PeerAnswer, type PeerRequestOptions, ServerRequestError } from '../peer/mcp-peer.ts'
import { requestCancelled, startRequestLimit } from '../peer/request-limit.ts'
import { answerInputs } from './answer-inputs.ts'
import { serverInfoKey, withoutEnvelope, withoutMeta } from './envelope.ts'
import { asSent, type Leg, type Speaker, sendLeg } from './send-leg.ts'

/** A server that still needs to know something after so many rounds never ends. */
const mostRounds = 16

/** Before a request is sent again without an answer: the server is only not ready yet. */
const pacingMs = 250

/** What is asked of a server. */
export interface StatelessRequest extends PeerRequestOptions {
  readonly method: string
  readonly params: JsonObject
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends one request and answers what the server needs to know for it, round after round, under one limit for them all.
 *
 * @throws {RollcallError} as `McpPeer.request` says.
 */
export async function requestOf(speaker: Speaker, request: StatelessRequest): Promise<PeerAnswer> {
  const { name, transport } = speaker
  const { method, signal } = request
  if (transport.closedBy !== undefined) throw transport.closedBy
  if (signal.aborted) throw requestCancelled(name, method, false)
  const stop = Promise.withResolvers<RollcallError>()
  const limit = startRequestLimit(name, request, stop.resolve)
  const abort = () => stop.resolve(requestCancelled(name, method, true))
  signal.addEventListener('abort', abort, { once: true })
  const leg: Leg = {
    method,
    params: request.params,
    meta: withoutEnvelope(request.meta ?? {}),
    stop: stop.promise,
    ears: {
      onProgress: (progress) => {
        limit.extend()
        request.onProgress?.(progress)
      },
      ...(request.onNotification !== undefined && { onNotification: request.onNotification }),
    },
    ...(request.headers !== undefined && { headers: request.headers }),
  }
  try {
    return await goRounds(speaker, leg, (inputs) => limit.pauseDuring(() => answer(speaker, request, leg, inputs)))
  } finally {
    limit.clear()
    signal.removeEventListener('abort', abort)
  }
}

async function goRounds(
  speaker: Speaker,
  leg: Leg,
  answerAll: (inputRequests: JsonObject) => ReturnType<typeof answerInputs>,
): Promise<PeerAnswer> {
  let params = leg.params
  for (let round = 0; round < mostRounds; round += 1) {
    const answered = await sendLeg(speaker, { ...leg, params })
    if (!answered.ok) return answered
    const { resultType, inputRequests, requestState } = answered.result
    if (resultType !== 'input_required') return { ok: true, result: withoutMeta(answered.result, serverInfoKey) }
    const inputs = isJsonObject(inputRequests) ? inputRequests : {}
    const inputs_ = await answerAll(inputs)
    if (!inputs_.ok) return inputs_
    params = {
      ...leg.params,
      ...(Object.keys(inputs).length > 0 && { inputResponses: inputs_.responses }),
      // It is the server's own, and goes back as it came.
      ...(requestState !== undefined && { requestState }),
    }
  }
  throw tooManyRounds(speaker.name, leg.method)
}

/** Answers one round; whoever gives up meanwhile takes the questions back. */
async function answer(
  { name, transport }: Speaker,
  { onServerRequest, method }: StatelessRequest,
  { stop }: Leg,
  inputRequests: JsonObject,
): ReturnType<typeof answerInputs> {
  const ending = new AbortController()
  const gone = goneOf(transport, ending.signal)
  const isQuestion = Object.keys(inputRequests).length > 0
  const work = isQuestion
    ? answerInputs(inputRequests, onServerRequest ?? answerNobody, ending.signal)
    : sleep(pacingMs, { ok: true, responses: {} } as const)
  try {
    const first = await Promise.race([work, stop, gone])
    if (first instanceof RollcallError) throw first
    return first
  } finally {
    ending.abort(requestCancelled(name, method, true))
  }
}
