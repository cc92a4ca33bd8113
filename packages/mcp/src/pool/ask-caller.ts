import type { CallerPort } from '@rollcall/host'
import { isRollcallError, type JsonObject } from '@rollcall/plugin'
import { ServerRequestError } from '../peer/mcp-peer.ts'

const methodNotFound = -32_601
const internalError = -32_603
/** What the protocol's own examples answer for a person. */
const rejected = -1

/**
 * Hands a server's question to whoever called it.
 *
 * @throws {ServerRequestError} what the server is told instead of an answer.
 */
export async function askCaller(
  caller: CallerPort | undefined,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  try {
    if (method === 'elicitation/create' && caller?.elicit !== undefined) return await caller.elicit(params, signal)
    if (method === 'sampling/createMessage' && caller?.sample !== undefined) return await caller.sample(params, signal)
    if (method === 'roots/list' && caller?.roots !== undefined) return await caller.roots(signal)
  } catch (error) {
    throw refusalOf(error)
  }
  throw notAskable(method)
}

/** For a question that nobody here was said to answer. */
export function notAskable(method: string): ServerRequestError {
  return new ServerRequestError(methodNotFound, `This client does not answer ${method}.`)
}

function refusalOf(error: unknown): ServerRequestError {
  if (error instanceof ServerRequestError) return error
  if (isRollcallError(error, 'FEATURE_DENIED')) return new ServerRequestError(rejected, 'The request was rejected.')
  // An error with which the client itself answered is for the server; the code of an abort is no such thing.
  const isAnswer = error instanceof Error && !(error instanceof DOMException) && 'code' in error
  if (isAnswer && Number.isInteger(error.code)) return new ServerRequestError(Number(error.code), error.message)
  return new ServerRequestError(internalError, 'The client could not answer.')
}
