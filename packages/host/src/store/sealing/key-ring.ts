import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { RollcallError } from '@rollcall/plugin'

/** A key of a store, and the name under which sealed values say that it is theirs. */
export interface StoreKey {
  /** Eight digits of the key's digest: tells keys apart, and nothing about them. */
  readonly id: string
  readonly key: KeyObject
}

/** The keys that a program has: what is written is sealed by the current one, what is read by whichever it was sealed. */
export interface KeyRing {
  readonly current: StoreKey
  /** @throws {RollcallError} `KEY_UNKNOWN`. */
  find(id: string): StoreKey
  has(id: string): boolean
}

const keyBytes = 32

/**
 * Makes a ring from the texts of keys: 32 bytes each, in base64 or as 64 hexadecimal digits.
 *
 * @param former keys from before, until `rollcall db rotate-key` has done with them
 * @throws {RollcallError} `KEY_UNKNOWN` for a text that is no key; it is not repeated.
 */
export function createKeyRing(current: string, former: readonly string[] = []): KeyRing {
  const [first, ...others] = [current, ...former].map(toStoreKey)
  if (first === undefined) throw noKey()
  const keys = new Map([...others, first].map((key) => [key.id, key]))
  return {
    current: first,
    has: (id) => keys.has(id),
    find(id) {
      const key = keys.get(id)
      if (key === undefined) throw keyUnknown([id])
      return key
    },
  }
}

/** For values that were sealed by keys which are not here. @param ids of those keys; none: nobody knows */
export function keyUnknown(ids: readonly string[]): RollcallError {
  const which = ids.length === 0 ? '' : ` (${ids.join(', ')})`
  return new RollcallError('KEY_UNKNOWN', `The store is sealed by a key that is not here${which}.`, {
    hint: 'Give it as "key", or among "formerKeys", of "store" in the configuration. Nothing was changed.',
  })
}

function toStoreKey(text: string): StoreKey {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : fromBase64(text)
  if (bytes?.length !== keyBytes) throw noKey()
  const id = createHash('sha256').update('rollcall-store-key').update(bytes).digest('hex').slice(0, 8)
  return { id, key: createSecretKey(bytes) }
}

function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined
}

function noKey(): RollcallError {
  return new RollcallError('KEY_UNKNOWN', 'What was given as the key of the store is none.', {
    hint: 'A key is 32 bytes in base64, or 64 hexadecimal digits: openssl rand -base64 32',
  })
}
