import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { RollcallError } from '@rollcall/plugin'
import type { Settings } from '../store/store.ts'

const row = 'key/digest'
const keyBytes = 32

/**
 * Reads the store's key for keyed digests, made at first use; of two processes that make one, the first wins.
 * What it returns rejects with `STORE_UNAVAILABLE` where the key can't be read.
 */
export function readDigestKey(settings: Settings): () => Promise<KeyObject> {
  let key: Promise<KeyObject> | undefined
  return () => {
    key ??= load(settings).catch((error: unknown) => {
      key = undefined
      throw error
    })
    return key
  }
}

async function load(settings: Settings): Promise<KeyObject> {
  await settings.set(row, randomBytes(keyBytes).toString('base64'), 0)
  const stored = await settings.get(row)
  const key = typeof stored?.value === 'string' ? Buffer.from(stored.value, 'base64') : undefined
  // Prepared once: from bytes, every digest would prepare it anew and take several times as long.
  if (key?.length === keyBytes) return createSecretKey(key)
  throw new RollcallError('STORE_UNAVAILABLE', 'The key of the store can not be read.', { hint: 'Name another store.' })
}
