import type { FeatureRequest, ProviderCall } from '@rollcall/host'
import type { PeerAnswer } from '../peer/mcp-peer.ts'
import type { CallingSession } from '../pool/calling-session.ts'
import type { Work } from '../pool/shared-connection.ts'
import type { SendSubscription } from '../pool/subscriptions.ts'
import { sendRequest } from './send-request.ts'

const invalidParams = -32_602

/**
 * Sends a request that is no tool call. Sessions that subscribe to one resource share one subscription of the server.
 *
 * @throws {RollcallError} as `sendRequest` does.
 */
export async function sendFeature(
  work: Work,
  session: CallingSession,
  { method, params }: FeatureRequest,
  parts: { readonly call: ProviderCall; readonly maxTotalTimeoutMs: number },
): Promise<PeerAnswer> {
  const { call, maxTotalTimeoutMs } = parts
  const send = (what: FeatureRequest['method'], which: FeatureRequest['params']) =>
    sendRequest(work, call, { about: what, method: what, params: which, maxTotalTimeoutMs })
  if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return send(method, params)
  const { uri } = params
  if (typeof uri !== 'string') return refused('A subscription needs the address of a resource.')
  const subscribe: SendSubscription = (what, which) => send(what, which)
  if (method === 'resources/unsubscribe') return work.subscriptions.remove(uri, session, subscribe)
  if (session.caller?.notify === undefined || session.ended === undefined) {
    return refused('Only a session that can be told of updates may subscribe to a resource.')
  }
  return work.subscriptions.add(uri, session, subscribe)
}

function refused(message: string): PeerAnswer {
  return { ok: false, error: { code: invalidParams, message } }
}
