import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const hostShape = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?$/

/** Tells whether an IP address (IPv4, IPv6, IPv4 mapped into IPv6) is one of this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  return loopback.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Tells whether a name or address, without port or brackets, means this machine only. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isLoopbackAddress(name)
}

/** The name in a `Host` header, in lower case, without port and brackets; `undefined` where it is malformed. */
export function hostName(header: string): string | undefined {
  const parts = hostShape.exec(header.toLowerCase())
  return parts?.[1] ?? parts?.[2]
}
