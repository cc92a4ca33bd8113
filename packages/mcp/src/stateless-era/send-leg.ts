import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, ProtocolError, type StandardSchemaV1 } from '@modelcontextprotocol/client'
import { isRollcallError, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { PeerAnswer } from '../peer/mcp-peer.ts'
import { rawMethod } from './raw-method.ts'
import type { RequestEars, StatelessTransport } from './stateless-transport.ts'

/** The SDK's own timers are never used: one limit holds for all legs of a request. */
const neverMs = 2_147_483_647

/** After a cancel, the answer may still be on its way. */
const cancelGraceMs = 250

/** A connection, as far as requests need it. */
export interface Speaker {
  readonly name: string
  readonly client: Client
  readonly transport: StatelessTransport
}

/** One message of a request that may take several. */
export interface Leg {
  readonly method: string
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly headers?: Readonly<Record<string, string>>
  readonly ears: RequestEars
  /** Resolves when nobody waits any more. */
  readonly stop: Promise<RollcallError>
}

type Settled = { readonly answer: PeerAnswer } | { readonly failure: RollcallError }

/** Results are taken as they come: what is in them is for whoever asked. */
const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'rollcall',
    // The transport lets only objects through.
    validate: (value) => ({ value: value as JsonObject }),
  },
}

/**
 * Sends one message and waits for its answer, which may be that input is required.
 *
 * @throws {RollcallError} as `McpPeer.request` says, or what `stop` resolves with.
 */
export async function sendLeg({ name, client, transport }: Speaker, leg: Leg): Promise<PeerAnswer> {
  const ending = new AbortController()
  const token = transport.listen(leg.ears)
  const params = { ...leg.params, _meta: { ...leg.meta, progressToken: token } }
  const response = client.request({ method: rawMethod(leg.method), params }, anyResult, {
    signal: ending.signal,
    timeout: neverMs,
    allowInputRequired: true,
    ...(leg.headers !== undefined && { headers: leg.headers }),
  })
  const id = transport.lastRequestId
  transport.name(id, token)
  const settled = response.then(
    // Its type has what the SDK decoded from JSON.
    (result): Settled => ({ answer: { ok: true, result: result as unknown as JsonObject } }),
    (error): Settled => settleError(name, transport, transport.verdictOn(id) ?? error),
  )
  try {
    const first = await Promise.race([settled, leg.stop])
    if (!isRollcallError(first)) return unwrap(first)
    const late = transport.hasPerRequestStream ? undefined : await askToStop(client, transport, id, first, settled)
    ending.abort()
    if (late !== undefined) return unwrap(late)
    throw first
  } finally {
    transport.settle(id, token)
  }
}

/** Tells the server that nobody waits; the SDK's own notice would leave no time for a last answer. */
async function askToStop(
  client: Client,
  transport: StatelessTransport,
  id: Json,
  { code }: RollcallError,
  settled: Promise<Settled>,
): Promise<Settled | undefined> {
  // Requests of the SDK have ids of its own making.
  const requestId = typeof id === 'string' || typeof id === 'number' ? id : ''
  const reason = code === 'SERVER_TIMEOUT' ? 'timed out' : 'cancelled'
  // A connection that is gone needs no notice.
  await client.notification({ method: 'notifications/cancelled', params: { requestId, reason } }).catch(() => {})
  transport.silenceCancel(id)
  const late = await Promise.race([settled, sleep(cancelGraceMs, undefined, { ref: false })])
  return late ?? undefined
}

function unwrap(settled: Settled): PeerAnswer {
  if ('failure' in settled) throw settled.failure
  return settled.answer
}

function settleError(name: string, transport: StatelessTransport, error: unknown): Settled {
  if (isRollcallError(error)) return { failure: error }
  if (transport.closedBy !== undefined) return { failure: asSent(transport.closedBy) }
  if (error instanceof ProtocolError) {
    // Parsed from JSON by the SDK, so it is JSON again.
    const data = error.data as Json | undefined
    const { code, message } = error
    return { answer: { ok: false, error: { code, message, ...(data !== undefined && { data }) } } }
  }
  const failure = new RollcallError('SERVER_PROTOCOL', `${name} gave an answer that can not be read.`, {
    hint: 'Update the server, or report it to its author.',
    data: { sent: true },
    cause: error,
  })
  return { failure }
}

/** The connection is over, and with it the request that was on its way. */
export function asSent(reason: RollcallError): RollcallError {
  const { code, message, hint } = reason
  return new RollcallError(code, message, { hint, data: { ...reason.data, sent: true }, cause: reason })
}
