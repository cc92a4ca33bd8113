import type { JsonObject } from '@rollcall/plugin'
import manifest from '../../package.json' with { type: 'json' }

/** The revision that is spoken here. */
export const statelessVersion = '2026-07-28'

/** How we name ourselves to servers. */
export const clientInfo = { name: 'rollcall', version: manifest.version }

/** Under which key of its `_meta` a notification says to which subscription it belongs. */
export const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId'

/** Under which key of an answer's `_meta` a server names itself. */
export const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const reserved = new Set([protocolVersionKey, clientInfoKey, clientCapabilitiesKey])

/**
 * What each request of this revision says about its client, in its `_meta`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function envelopeOf(clientCapabilities: JsonObject): JsonObject {
  return {
    [protocolVersionKey]: statelessVersion,
    [clientInfoKey]: clientInfo,
    [clientCapabilitiesKey]: clientCapabilities,
  }
}

/** What a caller may add to a request's `_meta`: nobody speaks for us about what this client is. */
export function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !reserved.has(key)))
}

/** The same object, its `_meta` without what was meant for this hop alone. */
export function withoutMeta(params: JsonObject, key: string): JsonObject {
  const { _meta: meta, ...rest } = params
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta) || !(key in meta)) return params
  const kept = Object.entries(meta).filter(([name]) => name !== key)
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }
}
