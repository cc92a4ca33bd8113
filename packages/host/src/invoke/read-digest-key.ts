import { randomBytes } from 'node:crypto'
import { RollcallError } from '@rollcall/plugin'
import type { Settings } from '../store/store.ts'

const row = 'key/digest'

/** Reads the store's key for keyed digests, made at first use; of two processes that make one, the first wins. */
export function readDigestKey(settings: Settings): () => Promise<Buffer> {
  let key: Promise<Buffer> | undefined
  return () => {
    key ??= load(settings).catch((error: unknown) => {
      key = undefined
      throw error
    })
    return key
  }
}

async function load(settings: Settings): Promise<Buffer> {
  await settings.set(row, randomBytes(32).toString('base64'), 0)
  const stored = await settings.get(row)
  if (typeof stored?.value !== 'string') {
    throw new RollcallError('STORE_UNAVAILABLE', 'The key of the store can not be read.', {
      hint: 'Name another store.',
    })
  }
  return Buffer.from(stored.value, 'base64')
}
