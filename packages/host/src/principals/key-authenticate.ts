import type { Scope } from '@rollcall/plugin'
import type { Authenticate } from '../ports/authenticate.ts'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import { type ApiKey, principalOfKey } from './api-key.ts'
import type { KeyBook } from './key-book.ts'

/** Never by way of a model's client. */
const decides: Scope = 'runs:approve'
const lookMs = 1_000
const scheme = /^bearer +(\S+) *$/i

/** Lets holders of keys in, and tells when a key is good no more. */
export interface KeyAuthenticate extends Disposable {
  readonly authenticate: Authenticate
}

/**
 * Authenticates requests by the key in `Authorization: Bearer`, anew at each. A request without a header is left to
 * `otherwise`; a wrong, expired or revoked key is nobody we know, all alike.
 *
 * Whoever is let in gets a signal that aborts within a second or two of the key's end, whichever process revoked it.
 */
export function createKeyAuthenticate(options: {
  readonly keys: KeyBook
  readonly otherwise: Authenticate
  readonly clock?: Clock
}): KeyAuthenticate {
  const { keys, otherwise, clock = systemClock } = options
  const inUse = new Map<string, AbortController>()
  const closing = new AbortController()
  let isLooking = false

  const watch = async () => {
    if (isLooking) return
    isLooking = true
    while (inUse.size > 0 && !closing.signal.aborted) {
      await clock.sleep(lookMs, closing.signal)
      for (const [id, controller] of inUse) {
        // What can't be looked up is not known to be good; a store that is away for a moment ends nobody.
        if (await keys.isGood(id).catch(() => true)) continue
        inUse.delete(id)
        controller.abort()
      }
    }
    isLooking = false
  }

  const goodness = (id: string): AbortSignal => {
    const known = inUse.get(id) ?? new AbortController()
    inUse.set(id, known)
    void watch()
    return known.signal
  }

  return {
    async authenticate(request) {
      const header = request.headers.get('authorization')
      if (header === null) return await otherwise(request)
      const [, token = ''] = scheme.exec(header) ?? []
      const key = await keys.find(token)
      if (key === undefined || !key.scopes.includes('tools:call')) return undefined
      const { profiles } = key
      // Bound to other profiles: this one looks as if it did not exist.
      const bound = profiles.includes(request.profile) ? {} : { profile: profiles[0] ?? '' }
      return { principal: forClients(key), ...bound, over: goodness(key.id) }
    },
    [Symbol.dispose]() {
      closing.abort()
      inUse.clear()
    },
  }
}

function forClients(key: ApiKey) {
  const principal = principalOfKey(key)
  return Object.freeze({ ...principal, scopes: principal.scopes.filter((scope) => scope !== decides) })
}
