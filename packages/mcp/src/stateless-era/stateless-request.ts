import { setTimeout as sleep } from 'node:timers/promises'
import { isRollcallError, type JsonObject, RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { type OnServerRequest, type PeerAnswer, type PeerRequestOptions, ServerRequestError } from '../peer/mcp-peer.ts'
import { requestCancelled, startRequestLimit } from '../peer/request-limit.ts'
import { type Answered, answerInputs } from './answer-inputs.ts'
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
    return await goRounds(speaker, leg, (inputRequests) =>
      limit.pauseDuring(() => answerRound(speaker, request.onServerRequest, leg, inputRequests)),
    )
  } finally {
    limit.clear()
    signal.removeEventListener('abort', abort)
  }
}

async function goRounds(
  speaker: Speaker,
  leg: Leg,
  answerAll: (inputRequests: JsonObject) => Promise<Answered>,
): Promise<PeerAnswer> {
  let { params } = leg
  for (let round = 0; round < mostRounds; round += 1) {
    const answer = await sendLeg(speaker, { ...leg, params })
    if (!answer.ok) return answer
    const { resultType, inputRequests, requestState } = answer.result
    if (resultType !== 'input_required') return { ok: true, result: withoutMeta(answer.result, serverInfoKey) }
    const answered = await answerAll(isJsonObject(inputRequests) ? inputRequests : {})
    if (!answered.ok) return answered
    const { responses } = answered
    params = {
      ...leg.params,
      ...(Object.keys(responses).length > 0 && { inputResponses: responses }),
      // It is the server's own, and goes back as it came.
      ...(requestState !== undefined && { requestState }),
    }
  }
  throw tooManyRounds(speaker.name, leg.method)
}

/** Answers one round. Whoever gives up meanwhile, or a server that leaves, takes the questions back. */
async function answerRound(
  { transport }: Speaker,
  onServerRequest: OnServerRequest | undefined,
  { stop }: Leg,
  inputRequests: JsonObject,
): Promise<Answered> {
  const ending = new AbortController()
  const gone = Promise.withResolvers<RollcallError>()
  const unwatch = transport.onClosed((reason) => gone.resolve(asSent(reason)))
  const isQuestion = Object.keys(inputRequests).length > 0
  const work: Promise<Answered> = isQuestion
    ? answerInputs(inputRequests, onServerRequest ?? answerNobody, ending.signal)
    : sleep(pacingMs, { ok: true, responses: {} })
  try {
    const first = await Promise.race([work, stop, gone.promise])
    if (isRollcallError(first)) throw first
    return first
  } finally {
    unwatch()
    ending.abort()
  }
}

/** There is nobody behind this request. */
const answerNobody: OnServerRequest = async (method) => {
  throw new ServerRequestError(-32_601, `${method} is not known here.`)
}

function tooManyRounds(name: string, method: string): RollcallError {
  const message = `${name} still needed something after ${mostRounds} rounds of ${method}.`
  return new RollcallError('SERVER_PROTOCOL', message, {
    hint: 'Report it to the author of the server.',
    data: { sent: true },
  })
}
