import type { Json, JsonObject, Principal, Scope } from '@rollcall/plugin'

/** A key of a person or a service, as it is kept: its secret is not. */
export interface ApiKey {
  readonly id: string
  /** SHA-256 of the secret, as hex. The secret is 256 bits of chance, so it needs no slow digest. */
  readonly hash: string
  readonly kind: Principal['kind']
  readonly person: string
  readonly admin: boolean
  readonly scopes: readonly Scope[]
  /** The profiles that it may use, at least one; all others look unknown to it. */
  readonly profiles: readonly string[]
  readonly label: string
  /** Milliseconds since the epoch, as the others. */
  readonly createdAt: number
  readonly expiresAt?: number
  readonly revokedAt?: number
}

/** The scopes that there are; there is no wildcard. */
export const scopes = [
  'tools:call',
  'runs:start',
  'runs:read',
  'runs:cancel',
  'runs:approve',
] as const satisfies readonly Scope[]

/** Who calls with a key. */
export function principalOfKey({ id, kind, person, admin, scopes: own }: ApiKey): Principal {
  return Object.freeze({ kind, id: `key:${id}`, person, admin, scopes: Object.freeze([...own]) })
}

/** Whether a key may be used at a time. */
export function isGood({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt)
}

/** A row that was written by this program; anything else is no key. */
export function isApiKey(value: Json | undefined): value is Json & ApiKey {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const row = value as JsonObject
  const isTime = (time: Json | undefined) => time === undefined || typeof time === 'number'
  return (
    ['id', 'hash', 'person', 'label'].every((key) => typeof row[key] === 'string') &&
    (row.kind === 'user' || row.kind === 'service') &&
    typeof row.admin === 'boolean' &&
    isTexts(row.scopes) &&
    row.scopes.every((scope) => (scopes as readonly string[]).includes(scope)) &&
    isTexts(row.profiles) &&
    typeof row.createdAt === 'number' &&
    isTime(row.expiresAt) &&
    isTime(row.revokedAt)
  )
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}
