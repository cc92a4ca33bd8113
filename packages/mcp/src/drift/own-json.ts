import { canonicalJson, type Json, type JsonObject } from '@rollcall/plugin'

/** The value under a key, never one that every object inherits. */
export function ownJson(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Tells whether two values mean the same; the order of keys counts for nothing. */
export function isEqualJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalJson(one) === canonicalJson(other)
}
