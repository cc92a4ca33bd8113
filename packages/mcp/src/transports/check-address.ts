import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { RollcallError } from '@rollcall/plugin'

/** Addresses that hand out a machine's credentials, or that only make sense on one link. */
const forbidden = blockListOf(
  [
    ['169.254.0.0', 16],
    ['100.100.100.200', 32],
  ],
  [
    ['fe80::', 10],
    ['fd00:ec2::254', 128],
  ],
)

/** @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const inside = blockListOf(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ],
  [
    ['::', 128],
    ['::1', 128],
    ['fc00::', 7],
    ['ff00::', 8],
  ],
)

/**
 * Refuses an address by what its host resolves to: link-local and metadata addresses always, private ones where
 * `allowPrivate` is false. Every resolved address must pass.
 *
 * @throws {RollcallError} `LAUNCH_REFUSED` for an address that must not be reached, `SERVER_UNAVAILABLE` for a host
 * that can not be found.
 */
export async function checkAddress(
  url: URL,
  options: { readonly name: string; readonly allowPrivate: boolean },
): Promise<void> {
  const { name, allowPrivate } = options
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused(name, url, 'is no http address')
  if (url.username !== '' || url.password !== '') throw refused(name, url, 'carries a user name or password')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await resolveAll(name, host) : [host]
  for (const address of addresses.map(unmapped)) {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (forbidden.check(address, family)) throw refused(name, url, `leads to ${address}, a link-local address`)
    if (!allowPrivate && inside.check(address, family)) {
      throw refused(name, url, `leads to ${address}, a private address, and the server was announced`)
    }
  }
}

async function resolveAll(name: string, host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (cause) {
    throw new RollcallError('SERVER_UNAVAILABLE', `${name} can not be reached: the host ${host} is not known.`, {
      hint: `Correct "providers.${name}.url", or check the network.`,
      cause,
    })
  }
}

/** `::ffff:7f00:1` is 127.0.0.1 in other clothes, and so are `::7f00:1` and, behind a translator, `64:ff9b::7f00:1`. */
function unmapped(address: string): string {
  const match = /^(?:::(?:ffff:(?:0:)?)?|64:ff9b::)(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(
    address,
  )
  if (match === null) return address
  if (match[1] !== undefined) return match[1]
  const bits = [match[2], match[3]].map((part) => Number.parseInt(part ?? '0', 16))
  return bits.flatMap((part) => [part >> 8, part & 0xff]).join('.')
}

function refused(name: string, url: URL, why: string): RollcallError {
  return new RollcallError('LAUNCH_REFUSED', `${name} is not contacted: ${url.host} ${why}.`, {
    hint: `Declare the server in your own configuration under "providers.${name}", with an address that may be reached.`,
  })
}

function blockListOf(
  ipv4: readonly (readonly [net: string, prefix: number])[],
  ipv6: readonly (readonly [net: string, prefix: number])[],
): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of ipv4) list.addSubnet(net, prefix, 'ipv4')
  for (const [net, prefix] of ipv6) list.addSubnet(net, prefix, 'ipv6')
  return list
}
