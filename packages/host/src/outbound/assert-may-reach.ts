import { isIP } from 'node:net'
import type { RollcallError } from '@rollcall/plugin'
import { judgeAddress } from './judge-address.ts'
import { addressRefused } from './outbound-fault.ts'
import type { OutboundOptions } from './outbound-fetch.ts'

/** Names of services that hand out a machine's credentials: behind a proxy nobody here sees where they lead. */
const metadataNames = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal'])

/**
 * Refuses what can be seen to be wrong before a name is resolved: another scheme, credentials in the address, an
 * address that must not be reached, however it is written.
 *
 * @throws {RollcallError} `ADDRESS_REFUSED`.
 */
export function assertMayReach(url: URL, by: OutboundOptions): void {
  const why = faultOf(url, by)
  if (why !== undefined) throw addressRefused(by, url.host, why)
}

/** For a text that is no address at all; it is not repeated, since a secret may be in it. */
export function unreadable(by: OutboundOptions): RollcallError {
  return addressRefused(by, 'What was given', 'is no address')
}

function faultOf({ protocol, username, password, hostname }: URL, by: OutboundOptions): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'is no http address'
  if (username !== '' || password !== '') return 'carries a user name or password'
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (metadataNames.has(host)) return 'hands out credentials'
  // Decimal, octal and hexadecimal spellings are one by now: the parser of URLs has read them.
  const why = isIP(host) === 0 ? undefined : judgeAddress(host, by)
  return why === undefined ? undefined : `leads to ${why}`
}
