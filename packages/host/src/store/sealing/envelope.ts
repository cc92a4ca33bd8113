import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { RollcallError } from '@rollcall/plugin'
import type { KeyRing } from './key-ring.ts'

/** The one place in a store where a sealed value belongs; anywhere else it does not open. */
export interface SealedPlace {
  readonly table: 'heads' | 'settings' | 'blobs'
  readonly row: readonly string[]
  readonly column: string
}

/** A sealed value, as it is taken apart. */
interface Envelope {
  readonly keyId: string
  /** Of the row when it was sealed. */
  readonly version: number
  /** The key of this one value, sealed by a key of the ring. */
  readonly wrapped: Buffer
  readonly body: Buffer
}

// AES-256-GCM: 12 bytes of nonce, 16 of tag.
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32
const mark = 'rollcall-sealed:1:'
const heading = /^rollcall-sealed:1:([0-9a-f]{8}):(\d{1,15}):([A-Za-z0-9_-]{80}):/
const longestHeading = 160

/** Whether bytes are a sealed value, as far as their beginning tells. */
export function isSealed(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, mark.length)).toString('latin1') === mark
}

/**
 * Seals a value for its place and version, under a key of its own that is wrapped by the current one of the ring.
 *
 * @returns a heading in ASCII, and bytes
 */
export function seal(ring: KeyRing, place: SealedPlace, version: number, plain: Uint8Array): Buffer {
  const own = randomBytes(keyBytes)
  const about = aboutOf(place, version)
  const wrapped = encrypt(ring.current.key, own, about)
  return Buffer.concat([headingOf(ring.current.id, version, wrapped), encrypt(own, plain, about)])
}

/**
 * Opens a sealed value.
 *
 * @returns the value, and the version that it was sealed for: whoever knows the row compares
 * @throws {RollcallError} `KEY_UNKNOWN` without its key; `STORE_TAMPERED` for one that is not whole or not of this place.
 */
export function unseal(ring: KeyRing, place: SealedPlace, sealed: Uint8Array) {
  const { keyId, version, wrapped, body } = parse(sealed, place)
  const about = aboutOf(place, version)
  const own = decrypt(ring.find(keyId).key, wrapped, about, place)
  return { version, keyId, plain: decrypt(own, body, about, place) }
}

/** Wraps the key of a sealed value anew, by the current key of the ring: the value itself stays as it is. */
export function rewrap(ring: KeyRing, place: SealedPlace, sealed: Uint8Array): Buffer {
  const { keyId, version, wrapped, body } = parse(sealed, place)
  const about = aboutOf(place, version)
  const own = decrypt(ring.find(keyId).key, wrapped, about, place)
  return Buffer.concat([headingOf(ring.current.id, version, encrypt(ring.current.key, own, about)), body])
}

/** The key that a value is sealed by. */
export function keyIdOf(sealed: Uint8Array): string | undefined {
  return heading.exec(beginningOf(sealed))?.[1]
}

/** For a value that no key opens, though the key is here: it was changed, cut, or comes from another row or time. */
export function tampered({ table, row, column }: SealedPlace): RollcallError {
  const where = `${table}.${column} of ${row.slice(0, 1).join()}`
  return new RollcallError('STORE_TAMPERED', `A sealed value of the store is not the one that was written: ${where}.`, {
    hint: 'Somebody changed the store by other means. It was left as it is; restore a backup.',
  })
}

function parse(sealed: Uint8Array, place: SealedPlace): Envelope {
  const [whole, keyId, version, wrapped] = heading.exec(beginningOf(sealed)) ?? []
  if (whole === undefined || keyId === undefined || wrapped === undefined) throw tampered(place)
  const body = Buffer.from(sealed.buffer, sealed.byteOffset + whole.length, sealed.length - whole.length)
  return { keyId, version: Number(version), wrapped: Buffer.from(wrapped, 'base64url'), body }
}

function beginningOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, longestHeading)).toString('latin1')
}

function headingOf(keyId: string, version: number, wrapped: Buffer): Buffer {
  return Buffer.from(`${mark}${keyId}:${version}:${wrapped.toString('base64url')}:`, 'latin1')
}

function aboutOf({ table, row, column }: SealedPlace, version: number): Buffer {
  return Buffer.from(JSON.stringify([mark, table, row, column, version]))
}

function encrypt(key: KeyObject | Buffer, plain: Uint8Array, about: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const made = createCipheriv(cipher, key, nonce)
  made.setAAD(about)
  return Buffer.concat([nonce, made.update(plain), made.final(), made.getAuthTag()])
}

function decrypt(key: KeyObject | Buffer, sealed: Buffer, about: Buffer, place: SealedPlace): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw tampered(place)
  const made = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  made.setAAD(about)
  made.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([made.update(sealed.subarray(nonceBytes, -tagBytes)), made.final()])
  } catch {
    throw tampered(place)
  }
}
