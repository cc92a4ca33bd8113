import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

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

function isMessage(value: JsonObject): boolean {
  if (value.jsonrpc !== '2.0') return false
  if (typeof value.method === 'string') return true
  return value.id !== undefined && (value.result !== undefined || value.error !== undefined)
}
