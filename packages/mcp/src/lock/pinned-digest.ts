import { type Digest, digestOf, type JsonObject } from '@rollcall/plugin'
import type { LockedTool } from './lock-entry.ts'

// Definitions of the lock file and of live lists are never changed, so each is digested once.
const digests = new WeakMap<JsonObject, { readonly digest: Digest | undefined }>()

/** Recomputed from the definition: a digest that stands in the file proves nothing. */
export function digestOfPinned(definition: JsonObject): Digest | undefined {
  const known = digests.get(definition)
  if (known !== undefined) return known.digest
  const digest = digestIfAny(definition)
  digests.set(definition, { digest })
  return digest
}

/** The digest of a pinned tool, unless the file says another one. */
export function soundDigest({ definition, digest }: LockedTool): Digest | undefined {
  return digestOfPinned(definition) === digest ? digest : undefined
}

function digestIfAny(definition: JsonObject): Digest | undefined {
  try {
    return digestOf(definition)
  } catch {
    return undefined
  }
}
