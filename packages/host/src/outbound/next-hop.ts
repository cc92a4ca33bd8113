import { redirectRefused } from './outbound-fault.ts'
import type { OutboundOptions } from './outbound-fetch.ts'

const statuses = new Set([301, 302, 303, 307, 308])
const maxHops = 5

/** One answer, and what was asked. */
export interface Hop {
  readonly url: URL
  readonly init: RequestInit
  readonly by: OutboundOptions
  /** Redirects that were followed before this one. */
  readonly hops: number
}

/**
 * Where a redirect leads, if it may be followed: within its origin, where method, body and headers are meant for it
 * too. Undefined for an answer that is no redirect, and for a caller who wants to see redirects.
 *
 * @throws {RollcallError} `SERVER_UNAVAILABLE` for any other redirect.
 */
export function nextHop(response: Response, { url, init, by, hops }: Hop): URL | undefined {
  const location = response.headers.get('location')
  if (!statuses.has(response.status) || location === null || init.redirect === 'manual') return undefined
  const next = URL.parse(location, url.href)
  const method = (init.method ?? 'GET').toUpperCase()
  // What was posted may have been done by whoever says: look there for the result.
  const sent = method !== 'GET' && method !== 'HEAD' && response.status < 307
  const refuse = (why: string) => {
    // An answer that is not read would hold its connection.
    response.body?.cancel().catch(() => {})
    return redirectRefused(by, { to: next?.origin ?? 'an unreadable address', why, sent })
  }
  if (next?.origin !== url.origin) throw refuse('it is another origin')
  if (by.redirects === 'refuse' || init.redirect === 'error') throw refuse('no redirect is')
  if (hops >= maxHops) throw refuse(`there were ${maxHops} before it`)
  if (sent) throw refuse(`it would make another request of a ${method}`)
  if (init.body instanceof ReadableStream) throw refuse('what was sent can not be sent again')
  return next
}
