import { digestOf, type Json } from '@rollcall/plugin'
import { covers, type Grant, type GrantedCall } from '../gate/grant.ts'
import type { Clock } from '../ports/clock.ts'
import type { Settings } from '../store/store.ts'

/** The yeses of persons that are good for more than one call. */
export interface GrantBook {
  /** The grant that covers a call, if there is one. */
  find(call: Omit<GrantedCall, 'now'>): Promise<Grant | undefined>
  add(grant: Grant): Promise<void>
  /** Those that are still good, oldest first; what is over is removed on the way. */
  list(): Promise<readonly Grant[]>
  /** @returns false when there is none of that id. */
  revoke(id: string): Promise<boolean>
}

/** The rows of this room in the settings of a store. */
export const grantPrefix = 'grant/'

/** Makes the book over the settings of a store: no grant is remembered between two calls, so a revoked one is gone at once. */
export function createGrantBook({
  settings,
  clock,
}: {
  readonly settings: Settings
  readonly clock: Clock
}): GrantBook {
  return {
    async find(call) {
      const rows = await settings.list(folderOf(call))
      const now = clock.now()
      return rows
        .map(([, value]) => value)
        .find((value): value is Json & Grant => isGrant(value) && covers(value, { ...call, now }))
    },

    async add(grant) {
      await settings.set(`${folderOf(grant)}${grant.id}`, grant as unknown as Json)
    },

    async list() {
      const live: Grant[] = []
      for (const [key, value] of await settings.list(grantPrefix)) {
        if (isGrant(value) && value.until > clock.now()) live.push(value)
        // An unreadable row grants nothing either.
        else await settings.set(key, null)
      }
      return live.toSorted((one, other) => one.at - other.at)
    },

    async revoke(id) {
      const found = (await settings.list(grantPrefix)).find(([key]) => key.endsWith(`/${id}`))
      if (found === undefined) return false
      await settings.set(found[0], null)
      return true
    },
  }
}

/** One folder for each tool, principal and profile: a look-up reads only what may cover it. */
function folderOf({ tool, principal, profile }: Pick<GrantedCall, 'tool' | 'principal' | 'profile'>): string {
  return `${grantPrefix}${digestOf([tool, principal, profile]).slice('sha256:'.length)}/`
}

function isGrant(value: Json): value is Json & Grant {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const grant = value as { readonly [key: string]: Json }
  const texts = ['id', 'tool', 'definition', 'principal', 'profile', 'args', 'by']
  return (
    texts.every((key) => typeof grant[key] === 'string') &&
    (grant.session === undefined || typeof grant.session === 'string') &&
    typeof grant.until === 'number' &&
    typeof grant.at === 'number'
  )
}
