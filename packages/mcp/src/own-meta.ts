import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from './is-json-object.ts'

/** Begins the `_meta` keys that only we write: those of servers and clients are dropped. */
export const ownMetaPrefix = 'rollcall/'

/** A foreign `_meta` without the keys that only we write. */
export function foreignMeta(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(ownMetaPrefix)))
}

/** An object of the protocol whose `_meta`, if it has one, says nothing in our name. */
export function withForeignMeta(object: JsonObject): JsonObject {
  const { _meta } = object
  if (!isJsonObject(_meta)) return object
  return { ...object, _meta: foreignMeta(_meta) as Json }
}
