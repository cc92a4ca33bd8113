import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { withInputKey } from '../peer/input-key.ts'
import { type OnServerRequest, type PeerAnswer, ServerRequestError } from '../peer/mcp-peer.ts'

/** A server that needs more than this at once is not asking people. */
const mostInputs = 32
const invalidRequest = -32_600
const methodNotFound = -32_601
const internalError = -32_603
/** What a caller who rejects the question is known by. */
const rejected = -1

type Refusal = Extract<PeerAnswer, { readonly ok: false }>

/** What goes back to the server, by its own keys, or the error with which the request ends. */
export type Answered = { readonly ok: true; readonly responses: JsonObject } | Refusal

/**
 * Answers all that a server needs to know before it goes on with a request. An elicitation that nobody wanted to answer
 * is answered as such; any other refusal ends the request, because this revision has no other word for it.
 */
export async function answerInputs(
  inputRequests: JsonObject,
  onServerRequest: OnServerRequest,
  signal: AbortSignal,
): Promise<Answered> {
  const asked = Object.entries(inputRequests)
  if (asked.length > mostInputs) return refuse(invalidRequest, `${mostInputs} questions at once are enough.`)
  // One that is refused takes the others back.
  const failing = new AbortController()
  const both = AbortSignal.any([signal, failing.signal])
  try {
    const answered = asked.map(
      async ([key, input]) => [key, await answerOne(key, input, onServerRequest, both)] as const,
    )
    return { ok: true, responses: Object.fromEntries(await Promise.all(answered)) }
  } catch (error) {
    failing.abort()
    if (error instanceof ServerRequestError) return refuse(error.code, error.message)
    // Whatever went wrong here is not the server's to read.
    return refuse(internalError, 'The client could not answer.')
  }
}

async function answerOne(
  key: string,
  input: JsonObject[string] | undefined,
  onServerRequest: OnServerRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!isJsonObject(input) || typeof input.method !== 'string') {
    throw new ServerRequestError(invalidRequest, 'That is no question of the protocol.')
  }
  const { method, params } = input
  try {
    return await onServerRequest(method, withInputKey(isJsonObject(params) ? params : {}, key), signal)
  } catch (error) {
    const code = error instanceof ServerRequestError ? error.code : internalError
    if (method !== 'elicitation/create' || code === methodNotFound || code === invalidRequest) throw error
    return { action: code === rejected ? 'decline' : 'cancel' }
  }
}

function refuse(code: number, message: string): Refusal {
  return { ok: false, error: { code, message } }
}
