import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { isRollcallError, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { PeerAnswer, PeerRequestOptions } from '../peer/mcp-peer.ts'
import { requestCancelled, timedOut } from '../peer/request-limit.ts'
import type { OpenQuestions } from './open-questions.ts'
import type { SdkTransport } from './sdk-transport.ts'

/** The SDK's own timers are never used: they don't hold the total limit between two reports of progress. */
export const neverMs = 2_147_483_647

/** After a cancel, the answer may still be on its way. */
const cancelGraceMs = 250

type Settled = { readonly answer: PeerAnswer } | { readonly failure: RollcallError }

/** Sends one request through the SDK, under our own limits and cancel. */
export async function requestOf(
  name: string,
  client: Client,
  transport: SdkTransport,
  request: PeerRequestOptions & {
    readonly method: string
    readonly params: JsonObject
    /** What the server waits for on this connection. */
    readonly questions: OpenQuestions
  },
): Promise<PeerAnswer> {
  if (transport.closedBy !== undefined) throw transport.closedBy
  if (request.signal.aborted) throw requestCancelled(name, request.method, false)
  const ending = new AbortController()
  const stop = Promise.withResolvers<RollcallError>()
  const limit = startLimit(name, request, stop.resolve)
  const abort = () => stop.resolve(requestCancelled(name, request.method, true))
  request.signal.addEventListener('abort', abort, { once: true })
  // Only what was let through: whatever else a caller may have put there does not go on.
  const { _meta: _dropped, ...plain } = request.params
  const params = request.meta === undefined ? plain : { ...plain, _meta: { ...request.meta } }
  const response = client.request({ method: request.method, params }, ResultSchema, {
    signal: ending.signal,
    timeout: neverMs,
    onprogress: (progress) => {
      limit.extend()
      // Parsed from JSON by the SDK, so it is JSON again.
      request.onProgress?.(progress as unknown as JsonObject)
    },
  })
  const id = transport.lastRequestId
  const settled = response.then(
    (result): Settled => ({ answer: { ok: true, result: result as unknown as JsonObject } }),
    (error): Settled => settleError(name, transport, transport.takeVerdict(id) ?? error),
  )
  try {
    const first = await Promise.race([settled, stop.promise])
    if (!isRollcallError(first)) return unwrap(first)
    transport.cancel(id, first.code === 'SERVER_TIMEOUT' ? 'timed out' : 'cancelled')
    const late = await Promise.race([settled, sleep(cancelGraceMs, undefined, { ref: false })])
    ending.abort()
    if (late !== undefined) return unwrap(late)
    throw first
  } finally {
    limit.clear()
    request.signal.removeEventListener('abort', abort)
    transport.settle(id)
  }
}

function unwrap(settled: Settled): PeerAnswer {
  if ('failure' in settled) throw settled.failure
  return settled.answer
}

function settleError(name: string, transport: SdkTransport, error: unknown): Settled {
  if (isRollcallError(error)) return { failure: error }
  if (transport.closedBy !== undefined) return { failure: asSent(transport.closedBy) }
  if (error instanceof McpError) {
    const message = error.message.replace(/^MCP error -?\d+: /, '')
    const data = error.data as Json | undefined
    return { answer: { ok: false, error: { code: error.code, message, ...(data !== undefined && { data }) } } }
  }
  const failure = new RollcallError('SERVER_PROTOCOL', `${name} gave an answer that can not be read.`, {
    hint: 'Update the server, or report it to its author.',
    data: { sent: true },
    cause: error,
  })
  return { failure }
}

function asSent(reason: RollcallError): RollcallError {
  const { code, message, hint } = reason
  return new RollcallError(code, message, { hint, data: { ...reason.data, sent: true }, cause: reason })
}

function startLimit(
  name: string,
  request: PeerRequestOptions & { readonly questions: OpenQuestions },
  expire: (reason: RollcallError) => void,
) {
  const startedAt = performance.now()
  const totalMs = Math.max(request.maxTotalTimeoutMs ?? 0, request.timeoutMs)
  let timer: NodeJS.Timeout | undefined
  const arm = () => {
    clearTimeout(timer)
    const leftMs = totalMs - (performance.now() - startedAt)
    const waitMs = Math.max(0, Math.min(request.timeoutMs, leftMs))
    const isLast = leftMs <= request.timeoutMs
    const limitMs = isLast ? totalMs : request.timeoutMs
    timer = setTimeout(() => (request.questions.isAny && !isLast ? arm() : expire(timedOut(name, limitMs))), waitMs)
  }
  arm()
  const unwatch = request.questions.watch(arm)
  const clear = () => {
    clearTimeout(timer)
    unwatch()
  }
  return { extend: arm, clear }
}
