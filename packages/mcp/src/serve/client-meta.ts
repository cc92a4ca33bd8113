import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

// Ours to say, or of one hop only: what a client writes there must not look as if we had said it.
const ours = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage'])
/** How a request of the stateless revision says which log messages it wants to hear. */
export const logLevelKey = 'io.modelcontextprotocol/logLevel'
const reservedLabels = new Set(['modelcontextprotocol', 'mcp', 'rollcall'])

/**
 * The fields of a client's `_meta` that go on to the server; `undefined` where none is left. Reserved ones are taken
 * out: ours, those of the protocol, and those by which a call is traced.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#_meta
 */
export function clientMeta(params: JsonObject): JsonObject | undefined {
  const { _meta } = params
  if (!isJsonObject(_meta)) return undefined
  const kept = Object.entries(_meta).filter((entry): entry is [string, Json] => !isReserved(entry[0]))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function isReserved(key: string): boolean {
  if (ours.has(key)) return true
  const slash = key.indexOf('/')
  if (slash < 0) return false
  const labels = key.slice(0, slash).toLowerCase().split('.')
  return labels.slice(0, 2).some((label) => reservedLabels.has(label))
}
