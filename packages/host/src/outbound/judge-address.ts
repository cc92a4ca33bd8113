import { BlockList, isIP } from 'node:net'
import { embeddedAddresses } from './embedded-addresses.ts'

/** Addresses that hand out a machine's credentials, or that only make sense on one link. */
const forbidden = blockListOf(
  [
    ['169.254.0.0', 16],
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
    ['192.0.0.192', 32],
  ],
  [
    ['fe80::', 10],
    ['fd00:ec2::', 32],
    ['fd20:ce::', 32],
  ],
)

/**
 * Everything that is not the public network: private, shared, reserved, for documents, for many at once.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const inside = blockListOf(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ],
  [
    ['::', 128],
    ['::1', 128],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001:2::', 48],
    ['2001:db8::', 32],
    ['3fff::', 20],
    ['5f00::', 16],
    ['fc00::', 7],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
)

/** Why an address must not be reached, as the end of "it leads to …"; undefined where it may be. */
export function judgeAddress(
  address: string,
  { allowPrivate }: { readonly allowPrivate: boolean },
): string | undefined {
  // A zone says through which interface, and does not change what kind of address it is.
  const plain = address.replace(/%.*$/s, '')
  if (isIP(plain) === 0) return 'something that is no address'
  const meant = [plain, ...embeddedAddresses(plain)]
  const listed = (list: BlockList) => meant.some((one) => list.check(one, isIP(one) === 6 ? 'ipv6' : 'ipv4'))
  if (listed(forbidden)) return `${plain}, a link-local address or one that hands out credentials`
  if (!allowPrivate && listed(inside)) return `${plain}, a private address`
  return undefined
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
