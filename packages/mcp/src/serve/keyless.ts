import type { Authenticate } from '@rollcall/host'
import type { Principal } from '@rollcall/plugin'
import { hostName, isLoopbackAddress, isLoopbackName } from './http/loopback.ts'

const forwardingHeaders = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
])
const forwardingPrefixes = ['x-forwarded', 'x-original-', 'x-envoy-', 'cf-', 'fastly-', 'fly-']

/**
 * Lets programs of this machine in without a key, and nobody else.
 *
 * All of these must hold: the server is bound to loopback, the peer and the `Host` header are loopback, no header tells
 * of a proxy, and no public address is configured. Any of them missing: nobody we know.
 *
 * @param options.boundTo the address that the server listens on
 * @param options.profiles served keyless besides `default`; all others look unknown
 * @param options.principal who such a program is
 * @param options.publicUrl where the server is reached from outside, if it is
 */
export function createKeylessAuthenticate(options: {
  readonly boundTo: string
  readonly profiles: readonly string[]
  readonly principal: Principal
  readonly publicUrl?: string
}): Authenticate {
  const mayServe =
    options.publicUrl === undefined && isLoopbackName(options.boundTo.toLowerCase().replace(/^\[(.*)\]$/, '$1'))
  const open = new Set(['default', ...options.profiles])
  const { principal } = options

  return async ({ headers, remoteAddress, profile }) => {
    const name = hostName(headers.get('host') ?? '')
    if (!mayServe || name === undefined || !isLoopbackName(name)) return undefined
    if (!isLoopbackAddress(remoteAddress) || isForwarded(headers)) return undefined
    // Bound to another profile: the face then answers as for a profile that does not exist.
    return open.has(profile) ? { principal } : { principal, profile: 'default' }
  }
}

function isForwarded(headers: Headers): boolean {
  for (const [name] of headers) {
    if (forwardingHeaders.has(name) || forwardingPrefixes.some((prefix) => name.startsWith(prefix))) return true
  }
  return false
}
