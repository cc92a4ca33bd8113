import type { Digest, Json, JsonObject } from '@rollcall/plugin'

/** Where a chain ends that was cut: its links up to there were removed on purpose. */
export interface Cut {
  readonly chain: string
  readonly upTo: number
  /** The digest of the last link that was removed. */
  readonly digest: Digest
}

/** What vouches for a chain, in a stream of its own in that chain. Each is signed over all that it says. */
export type AuditEvent = {
  /** SHA-256 of the public key, so that it is known which one to check with. */
  readonly key: Digest
  /** Ed25519, in base64. */
  readonly signature: string
} & (
  | {
      readonly type: 'audit.checkpoint'
      readonly chain: string
      /** The last link that is vouched for, with its digest. */
      readonly link: number
      readonly digest: Digest
      /** How far the chains of other writers were at that time: one that is gone is missed. */
      readonly others: readonly Pick<Cut, 'chain' | 'upTo'>[]
    }
  | {
      readonly type: 'audit.pruned'
      /** All cuts up to now, older ones too. */
      readonly cuts: readonly Cut[]
    }
)

type Without<T> = T extends AuditEvent ? Omit<T, 'key' | 'signature'> : never
/** An event before it is signed. */
export type UnsignedAuditEvent = Without<AuditEvent>

/** Reads an event of an audit stream; `undefined` for anything else. */
export function asAuditEvent(value: Json): AuditEvent | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { type, key, signature, chain, link, digest, others, cuts } = value as JsonObject
  if (typeof key !== 'string' || typeof signature !== 'string') return undefined
  const isCheckpoint =
    type === 'audit.checkpoint' &&
    typeof chain === 'string' &&
    typeof link === 'number' &&
    typeof digest === 'string' &&
    Array.isArray(others) &&
    others.every(isPosition)
  const isPruned =
    type === 'audit.pruned' &&
    Array.isArray(cuts) &&
    cuts.every((cut: Json) => isPosition(cut) && typeof (cut as JsonObject).digest === 'string')
  return isCheckpoint || isPruned ? (value as unknown as AuditEvent) : undefined
}

function isPosition(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { chain, upTo } = value as JsonObject
  return typeof chain === 'string' && typeof upTo === 'number'
}
