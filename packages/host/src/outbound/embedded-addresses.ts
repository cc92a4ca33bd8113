import { isIP } from 'node:net'

/**
 * The IPv4 addresses that an IPv6 address stands for: mapped, compatible and translated ones, and those of the tunnels
 * and translators that take a packet to them (NAT64, 6to4, Teredo, ISATAP). None for any other address.
 */
export function embeddedAddresses(address: string): readonly string[] {
  if (isIP(address) !== 6) return []
  const groups = groupsOf(address)
  const at = (index: number) => groups[index] ?? 0
  const last = dotted(at(6), at(7))
  const found: string[] = []
  const isZeroTo = (end: number) => groups.slice(0, end).every((group) => group === 0)
  // ::a.b.c.d, ::ffff:a.b.c.d and ::ffff:0:a.b.c.d
  if (isZeroTo(6) || (isZeroTo(5) && at(5) === 0xffff) || (isZeroTo(4) && at(4) === 0xffff && at(5) === 0)) {
    found.push(last)
  }
  if (at(0) === 0x64 && at(1) === 0xff9b) found.push(last)
  // Behind a network's own prefix the address may begin at bit 48, around eight bits that are zero.
  if (at(0) === 0x64 && at(1) === 0xff9b && at(2) === 1) found.push(dotted(at(3), ((at(4) & 0xff) << 8) | (at(5) >> 8)))
  if (at(0) === 0x2002) found.push(dotted(at(1), at(2)))
  if (at(0) === 0x2001 && at(1) === 0) found.push(dotted(at(2), at(3)), dotted(at(6) ^ 0xffff, at(7) ^ 0xffff))
  if ((at(4) & 0xfdff) === 0 && at(5) === 0x5efe) found.push(last)
  return found
}

function groupsOf(address: string): readonly number[] {
  // The parser of URLs writes every spelling in one way: hexadecimal, zeros left out once.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = text.split('::')
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const first = read(head)
  const rest = read(tail ?? '')
  return [...first, ...Array<number>(8 - first.length - rest.length).fill(0), ...rest]
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
