import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { canonicalJson } from '@rollcall/plugin'
import type { CallOptions } from './runtime.ts'

/** Who may use a handle: the very principal, profile and client that it was made for. */
export type Holder = Pick<CallOptions, 'principal' | 'profile' | 'client'>

const nonceBytes = 12
const tagBytes = 16
const maxLength = 400

/**
 * A handle that tells its holder nothing and is of use to nobody else: the text, encrypted under the key of the store.
 *
 * @param purpose what it is for; a handle for one thing is none for another
 */
export function sealHandle(key: KeyObject, purpose: 'await' | 'result', text: string, holder: Holder): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyFor(key, purpose), nonce).setAAD(boundTo(holder))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return sealed.toString('base64url')
}

/** The text of a handle; `undefined` for one that was forged, changed, made for something else or for somebody else. */
export function openHandle(
  key: KeyObject,
  purpose: 'await' | 'result',
  handle: unknown,
  holder: Holder,
): string | undefined {
  if (typeof handle !== 'string' || handle.length > maxLength) return undefined
  const sealed = Buffer.from(handle, 'base64url')
  if (sealed.length <= nonceBytes + tagBytes) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(key, purpose), sealed.subarray(0, nonceBytes))
      .setAAD(boundTo(holder))
      .setAuthTag(sealed.subarray(-tagBytes))
    const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function keyFor(key: KeyObject, purpose: string): Buffer {
  return createHmac('sha256', key).update(`handle\0${purpose}`).digest()
}

function boundTo({ principal, profile = 'direct', client }: Holder): Buffer {
  return Buffer.from(canonicalJson([principal.id, profile, client?.name ?? null]))
}
