import { hostName, isLoopbackName } from './loopback.ts'

/**
 * Names the header by which a page of another site would reach this server, if there is one.
 *
 * @param allowedHosts names in lower case, with or without port, besides the loopback ones
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function foreignHeader(headers: Headers, allowedHosts: ReadonlySet<string>): 'host' | 'origin' | undefined {
  const host = headers.get('host')
  if (host === null || !isAllowed(host, allowedHosts)) return 'host'
  const origin = headers.get('origin')
  if (origin !== null && !isAllowed(hostOfOrigin(origin), allowedHosts)) return 'origin'
  return undefined
}

function isAllowed(header: string, allowedHosts: ReadonlySet<string>): boolean {
  const name = hostName(header)
  return (
    name !== undefined && (isLoopbackName(name) || allowedHosts.has(name) || allowedHosts.has(header.toLowerCase()))
  )
}

/** Empty, and so not allowed, for `null` and for anything that is no web origin. */
function hostOfOrigin(origin: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : ''
}
