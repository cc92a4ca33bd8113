import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

const inputKeyMeta = 'rollcall/inputKey'
const keyShape = /^[A-Za-z0-9_.-]{1,64}$/

/** Names a question in the `_meta` of its params: in the stateless revision each has a name that its server gave it. */
export function withInputKey(params: JsonObject, key: string): JsonObject {
  return { ...params, _meta: { ...(isJsonObject(params._meta) && params._meta), [inputKeyMeta]: key } }
}

/** The name under which its server asks a question; `undefined` where it gave none that can be used. */
export function inputKeyOf({ _meta }: JsonObject): string | undefined {
  const key = isJsonObject(_meta) ? _meta[inputKeyMeta] : undefined
  return typeof key === 'string' && keyShape.test(key) && key !== '__proto__' ? key : undefined
}

/** The params as whoever is asked reads them. */
export function withoutInputKey(params: JsonObject): JsonObject {
  const { _meta, ...rest } = params
  if (!isJsonObject(_meta) || !Object.hasOwn(_meta, inputKeyMeta)) return params
  const { [inputKeyMeta]: _, ...kept } = _meta
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}
