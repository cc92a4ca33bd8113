import { expandVariables, type Json } from '@rollcall/plugin'

/**
 * Puts the values of variables into every string of a JSON value; keys stay as they are.
 *
 * @throws {RollcallError} `VARIABLE_MISSING` as `expandVariables` does.
 */
export function expandJson(value: Json, lookup: (name: string) => string | undefined): Json {
  if (typeof value === 'string') return expandVariables(value, lookup)
  if (isList(value)) return value.map((item) => expandJson(item, lookup))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandJson(item, lookup)]))
}

// Array.isArray does not narrow a read-only array.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
