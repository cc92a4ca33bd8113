import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { canonicalJson, type Digest, type Json } from '@rollcall/plugin'
import type { AuditEvent, UnsignedAuditEvent } from './audit-event.ts'

/** The name of a public key: the digest of its DER form. */
export function keyName(key: KeyObject): Digest {
  const der = publicOf(key).export({ type: 'spki', format: 'der' })
  return `sha256:${createHash('sha256').update(der).digest('hex')}`
}

/** Signs what an event says. @param key an Ed25519 private key */
export function signEvent(key: KeyObject, event: UnsignedAuditEvent): AuditEvent {
  const named = { ...event, key: keyName(key) }
  const signature = sign(null, Buffer.from(canonicalJson(named as unknown as Json)), key).toString('base64')
  return { ...named, signature } as AuditEvent
}

/** Whether an event was signed with the private part of a key. */
export function isSigned({ signature, ...named }: AuditEvent, key: KeyObject): boolean {
  if (named.key !== keyName(key)) return false
  const said = Buffer.from(canonicalJson(named as unknown as Json))
  try {
    return verify(null, said, publicOf(key), Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

function publicOf(key: KeyObject): KeyObject {
  return key.type === 'public' ? key : createPublicKey(key)
}
