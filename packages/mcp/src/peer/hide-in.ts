import type { Json } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { hideSecrets } from '../transports/output-tail.ts'

/** The same value without the secrets that its server was handed. */
export function hideIn(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return hideSecrets(value, secrets)
  if (Array.isArray(value)) return value.map((item) => hideIn(item, secrets))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [hideSecrets(key, secrets), hideIn(item, secrets)]),
  )
}
