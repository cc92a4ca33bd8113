import { Client, type DiscoverResult } from '@modelcontextprotocol/client'
import type { Json, JsonObject, Logger } from '@rollcall/plugin'
import type { ResolvedServer } from '../declaration/resolved-server.ts'
import { isJsonObject } from '../is-json-object.ts'
import { hideIn } from '../peer/hide-in.ts'
import type { McpPeer, PeerAnswer, PeerRequestOptions } from '../peer/mcp-peer.ts'
import { repeatLater } from '../peer/repeat-later.ts'
import type { Discovered } from './discover.ts'
import { clientInfo, serverInfoKey, statelessVersion } from './envelope.ts'
import { Listening } from './listening.ts'
import { ParameterHeaders } from './parameter-headers.ts'
import { requestOf } from './stateless-request.ts'
import type { StatelessTransport } from './stateless-transport.ts'

const invalidParams = -32_602

/** A server that has said what it is, over a transport that was started. */
export async function createStatelessPeer(
  { name, secrets }: ResolvedServer,
  transport: StatelessTransport,
  options: { readonly clientCapabilities: JsonObject; readonly discovered: Discovered; readonly logger: Logger },
): Promise<McpPeer> {
  const { clientCapabilities, discovered, logger } = options
  const client = new Client(clientInfo, {
    // The seam speaks plain JSON; here it becomes the SDK's type of capabilities.
    capabilities: clientCapabilities as Record<string, never>,
    inputRequired: { autoFulfill: false },
  })
  // As above, for what the server says of itself: it was asked without the SDK.
  const discover = discovered as unknown as DiscoverResult
  await client.connect(transport, { prior: { kind: 'modern', discover } })
  const { capabilities, instructions } = discovered
  const notified = new Set<(method: string, params: Json) => void>()
  const tell = (method: string, params: JsonObject) => {
    const shown = withoutSecrets(method, params, secrets)
    for (const listener of notified) listener(method, shown)
  }
  transport.onNotification = tell
  const listening = new Listening(client, { capabilities, tell })
  const headers = new ParameterHeaders()
  const speaker = { name, client, transport }
  const send = async (method: string, params: JsonObject, asked: PeerRequestOptions): Promise<PeerAnswer> => {
    const { onNotification } = asked
    const request = {
      ...asked,
      method,
      params,
      ...(method === 'tools/call' && { headers: headers.of(params) }),
      ...(onNotification !== undefined && {
        onNotification: (said: string, about: JsonObject) => onNotification(said, withoutSecrets(said, about, secrets)),
      }),
    }
    const answer = await repeatLater(request, (limits) => requestOf(speaker, { ...request, ...limits }))
    // Only where there are headers.
    if (!answer.ok || method !== 'tools/list' || !transport.hasPerRequestStream) return answer
    return { ok: true, result: withoutTools(answer.result, headers.learn(answer.result), { name, logger }) }
  }
  return {
    era: 'stateless',
    protocolVersion: statelessVersion,
    server: {
      ...nameOf(discovered),
      capabilities,
      ...(typeof instructions === 'string' && { instructions }),
    },
    async request(method, params, asked) {
      const answer = await (subscribing(listening, method, params) ?? send(method, params, asked))
      if (answer.ok) return answer
      // An error is shown to people; a server may repeat in it what it was given.
      const { code, message, data } = answer.error
      const shown = { code, message: String(hideIn(message, secrets)) }
      return { ok: false, error: data === undefined ? shown : { ...shown, data: hideIn(data, secrets) } }
    },
    notify(method, params) {
      // One that can not be sent is dropped: it says nothing that anybody waits for.
      client.notification({ method, params: { ...params } }).catch(() => {})
    },
    onNotification(listener) {
      notified.add(listener)
      listening.hearLists()
      return () => notified.delete(listener)
    },
    onClosed: (listener) => transport.onClosed(listener),
    async [Symbol.asyncDispose]() {
      listening.close()
      await transport.close()
    },
  }
}

/** The revision wants tools to be left out whose headers can not be. */
function withoutTools(
  result: JsonObject,
  wrong: readonly string[],
  { name, logger }: { readonly name: string; readonly logger: Logger },
): JsonObject {
  if (wrong.length === 0 || !Array.isArray(result.tools)) return result
  for (const tool of wrong) logger.warn('tool left out: its "x-mcp-header" can not be', { provider: name, tool })
  return { ...result, tools: result.tools.filter((tool) => !isJsonObject(tool) || !wrong.includes(String(tool.name))) }
}

/** In this revision one listens instead. Undefined for any other request. */
function subscribing(listening: Listening, method: string, { uri }: JsonObject): Promise<PeerAnswer> | undefined {
  if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return undefined
  if (typeof uri !== 'string') {
    return Promise.resolve({ ok: false, error: { code: invalidParams, message: 'The address is missing.' } })
  }
  return method === 'resources/subscribe' ? listening.subscribe(uri) : listening.unsubscribe(uri)
}

function withoutSecrets(method: string, params: JsonObject, secrets: readonly string[]): JsonObject {
  // A log message may repeat what the server was given.
  if (method !== 'notifications/message') return params
  const shown = hideIn(params, secrets)
  return isJsonObject(shown) ? shown : params
}

/** A server need not name itself. */
function nameOf({ _meta: meta }: Discovered): { readonly name: string; readonly version: string } {
  const info = isJsonObject(meta) ? meta[serverInfoKey] : undefined
  const { name, version } = isJsonObject(info) ? info : {}
  return { name: typeof name === 'string' ? name : '', version: typeof version === 'string' ? version : '' }
}
