import type { Store } from '../store.ts'
import { type KeyRing, keyUnknown } from './key-ring.ts'

/** The row of `settings` that says of which keys there may be sealed values. */
export const enrolledRow = 'sealing/keys'
const maxTries = 50

/** The ids of the keys that a store was written with, the newest last; empty: it was never sealed. */
export async function readEnrolled(store: Store): Promise<readonly string[]> {
  const value = (await store.settings.get(enrolledRow))?.value
  if (value === undefined) return []
  // Written by somebody else: which key is needed nobody knows.
  if (!Array.isArray(value) || value.length === 0 || !value.every((id) => typeof id === 'string')) throw keyUnknown([])
  return value
}

/** Whether a store holds sealed values: then it opens only with their keys. */
export async function isSealedStore(store: Store): Promise<boolean> {
  return (await readEnrolled(store)).length > 0
}

/**
 * Notes that a store is written with the current key of a ring from now on.
 *
 * @throws {RollcallError} `KEY_UNKNOWN` where a key that it was written with is not in the ring.
 */
export async function enrollKeys(store: Store, ring: KeyRing | undefined): Promise<void> {
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const enrolled = await readEnrolled(store)
    const missing = enrolled.filter((id) => ring?.has(id) !== true)
    if (missing.length > 0) throw keyUnknown(missing)
    if (ring === undefined || enrolled.at(-1) === ring.current.id) return
    const others = enrolled.filter((id) => id !== ring.current.id)
    if (await write(store, [...others, ring.current.id], enrolled)) return
  }
}

/** Notes that nothing is sealed by any other key any more. @returns false when another key was enrolled meanwhile. */
export async function retireKeys(store: Store, ring: KeyRing): Promise<boolean> {
  const enrolled = await readEnrolled(store)
  if (enrolled.at(-1) !== ring.current.id) return false
  return enrolled.length === 1 || (await write(store, [ring.current.id], enrolled))
}

async function write(store: Store, ids: readonly string[], over: readonly string[]): Promise<boolean> {
  const found = await store.settings.get(enrolledRow)
  // Somebody else was here since it was read.
  if (JSON.stringify(found?.value ?? []) !== JSON.stringify(over)) return false
  return await store.settings.set(enrolledRow, [...ids], found?.version ?? 0)
}
