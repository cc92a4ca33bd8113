import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Json, RollcallError } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import type { Settings } from '../store/store.ts'
import { type ApiKey, isApiKey, isGood, scopes } from './api-key.ts'

/** The keys of a store. */
export interface KeyBook {
  /**
   * Makes a key.
   *
   * @returns the key and its token, which is kept nowhere: whoever loses it needs another one
   * @throws {RollcallError} `KEY_INVALID` for words that make no key, `STORE_UNAVAILABLE`.
   */
  add(wish: KeyWish): Promise<{ readonly key: ApiKey; readonly token: string }>
  /** All keys, oldest first, revoked ones too. @throws {RollcallError} `STORE_UNAVAILABLE`. */
  list(): Promise<readonly ApiKey[]>
  /** @returns false when there is no good key of that id. @throws {RollcallError} `STORE_UNAVAILABLE`. */
  revoke(id: string): Promise<boolean>
  /** The good key of a token. @throws {RollcallError} `STORE_UNAVAILABLE`. */
  find(token: string): Promise<ApiKey | undefined>
  /** Whether the key of that id is good now. @throws {RollcallError} `STORE_UNAVAILABLE`. */
  isGood(id: string): Promise<boolean>
  /** When keys were last used, by id. Milliseconds since the epoch. */
  used(): Promise<ReadonlyMap<string, number>>
}

/** What an operator says of a new key. */
export interface KeyWish
  extends Pick<ApiKey, 'person' | 'profiles'>,
    Partial<Pick<ApiKey, 'kind' | 'admin' | 'scopes' | 'label' | 'expiresAt'>> {}

/** The rows of this room in the settings of a store. */
export const keyPrefix = 'apikey/'
export const keyUsePrefix = 'apikey-use/'

const secretBytes = 32
const personPattern = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u
const tokenPattern = /^rollcall_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/
const noteEveryMs = 60_000
/** Compared with where there is no such key, so that it takes as long. */
const nobody = createHash('sha256').update('nobody').digest()

/** Makes the book over the settings of a store. */
export function createKeyBook(options: { readonly settings: Settings; readonly clock?: Clock }): KeyBook {
  const { settings, clock = systemClock } = options
  const noted = new Map<string, number>()

  const read = async (id: string): Promise<ApiKey | undefined> => {
    const value = (await settings.get(`${keyPrefix}${id}`))?.value
    return isApiKey(value) && value.id === id ? value : undefined
  }

  /** That a key is used is told at most once a minute; that it can't be told costs nothing. */
  const note = (id: string) => {
    const now = clock.now()
    if ((noted.get(id) ?? Number.NEGATIVE_INFINITY) > now - noteEveryMs) return
    noted.set(id, now)
    void settings.set(`${keyUsePrefix}${id}`, now).catch(() => {})
  }

  return {
    async add(wish) {
      const now = clock.now()
      const key = toKey(wish, now)
      const secret = randomBytes(secretBytes).toString('base64url')
      const whole: ApiKey = { ...key, hash: digestOf(secret).toString('hex') }
      if (!(await settings.set(`${keyPrefix}${key.id}`, whole as unknown as Json, 0))) {
        throw new RollcallError('STORE_UNAVAILABLE', 'The key could not be written.', { hint: 'Make it again.' })
      }
      return { key: whole, token: `rollcall_${key.id}_${secret}` }
    },

    async list() {
      const rows = await settings.list(keyPrefix)
      return rows
        .map(([, value]) => value)
        .filter((value): value is Json & ApiKey => isApiKey(value))
        .toSorted((one, other) => one.createdAt - other.createdAt)
    },

    async revoke(id) {
      for (;;) {
        const row = await settings.get(`${keyPrefix}${id}`)
        const key: ApiKey | undefined = row !== undefined && isApiKey(row.value) ? row.value : undefined
        if (row === undefined || key === undefined || !isGood(key, clock.now())) return false
        const revoked: ApiKey = { ...key, revokedAt: clock.now() }
        if (await settings.set(`${keyPrefix}${id}`, revoked as unknown as Json, row.version)) return true
      }
    },

    async find(token) {
      const [, id = '', secret = ''] = tokenPattern.exec(token) ?? []
      const key = id === '' ? undefined : await read(id)
      const isRight = timingSafeEqual(digestOf(secret), key === undefined ? nobody : Buffer.from(key.hash, 'hex'))
      if (key === undefined || !isRight || !isGood(key, clock.now())) return undefined
      note(id)
      return key
    },

    async isGood(id) {
      const key = await read(id)
      return key !== undefined && isGood(key, clock.now())
    },

    async used() {
      const rows = await settings.list(keyUsePrefix)
      return new Map(rows.map(([key, at]) => [key.slice(keyUsePrefix.length), Number(at)]))
    },
  }
}

function toKey(wish: KeyWish, now: number): Omit<ApiKey, 'hash'> {
  const {
    person,
    profiles,
    kind = 'user',
    admin = false,
    scopes: wished = ['tools:call'],
    label = '',
    expiresAt,
  } = wish
  if (!personPattern.test(person)) throw invalid(`${JSON.stringify(person.slice(0, 80))} is no name of a person.`)
  if (profiles.length === 0) throw invalid('A key needs at least one profile.')
  const odd = wished.find((scope) => !scopes.includes(scope))
  if (odd !== undefined) throw invalid(`There is no scope ${JSON.stringify(odd)}: ${scopes.join(', ')}.`)
  if (wished.length === 0) throw invalid('A key without a scope is good for nothing.')
  if (expiresAt !== undefined && !(expiresAt > now)) throw invalid('A key that is over already is good for nothing.')
  if (/\p{Cc}/u.test(label) || label.length > 100) throw invalid('A label has at most 100 characters, none of control.')
  return {
    id: freshId(),
    kind,
    person,
    admin,
    scopes: [...new Set(wished)],
    profiles: [...new Set(profiles)],
    label,
    createdAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

function freshId(): string {
  return Array.from(randomBytes(12), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('')
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function invalid(message: string): RollcallError {
  return new RollcallError('KEY_INVALID', message, {
    hint: 'As in: rollcall keys add --person jo --profile default --scope tools:call --expires 90d',
  })
}
