import type { Json, JsonObject } from '@rollcall/plugin'

/** Reads a line as one JSON-RPC message; undefined for anything else, which is noise. */
export function parseMessage(line: string): JsonObject | undefined {
  if (!line.includes('{')) return undefined
  let value: Json
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  return isJsonObject(value) && isMessage(value) ? value : undefined
}

/** Tells whether a JSON value is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isMessage(value: JsonObject): boolean {
  if (value.jsonrpc !== '2.0') return false
  if (typeof value.method === 'string') return true
  return value.id !== undefined && (value.result !== undefined || value.error !== undefined)
}
