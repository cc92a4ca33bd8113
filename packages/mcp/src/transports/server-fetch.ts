import type { OutboundFetch } from '@rollcall/host'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'
import { badHeader, elsewhere, refusedBy } from './http-fault.ts'

/** A fetch for one server. What comes back is an answer that went well. */
export type ServerFetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Makes the fetch for one server: never to another origin, with the server's own headers, and with a coded error in place
 * of every status that is no success, which repeats nothing of what the server said. Where an address may lead, and which
 * redirects are followed, is the outbound fetch's to say.
 */
export function createServerFetch(server: ResolvedHttp, fetch: OutboundFetch): ServerFetch {
  return async (input, init = {}) => {
    const url = new URL(input)
    if (url.origin !== server.url.origin) throw elsewhere(server, url)
    const headers = withHeaders(server, new Headers(init.headers))
    // The SDKs would follow redirects themselves, and count none.
    const response = await fetch(url, { ...init, headers, redirect: 'follow' }, server)
    if (response.ok) return response
    await response.body?.cancel()
    throw refusedBy(server, response, { inSession: headers.has('mcp-session-id') })
  }
}

/** The media type of an answer, in lower case; empty where it names none. */
export function mediaTypeOf({ headers }: Response): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function withHeaders(server: ResolvedHttp, headers: Headers): Headers {
  for (const [key, value] of Object.entries(server.headers)) {
    try {
      headers.set(key, value)
    } catch {
      // The error is not kept: it repeats the value.
      throw badHeader(server, key)
    }
  }
  return headers
}
