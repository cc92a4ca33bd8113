import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeAddress } from '../../src/outbound/judge-address.ts'

const judge = (address: string, allowPrivate: boolean) => judgeAddress(address, { allowPrivate })

describe('judgeAddress', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    'fe80::1',
    'FE80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2002:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:5601:5601',
    '2001:0:a9fe:a9fe::1',
    '2001:db8::5efe:a9fe:a9fe',
    '2606:4700::200:5efe:a9fe:a9fe',
  ])('R-SEC-15 %s is link-local or hands out credentials, whoever asks', (address) => {
    expect(judge(address, true)).toContain('hands out credentials')
    expect(judge(address, false)).toContain('hands out credentials')
  })

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::10.0.0.1',
    '2002:c0a8:101::',
  ])('R-SEC-15 %s is private', (address) => {
    expect(judge(address, false)).toContain('a private address')
    expect(judge(address, true)).toBeUndefined()
  })

  it.each([
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '2002:101:101::',
    '64:ff9b::1.1.1.1',
  ])('%s is public', (address) => {
    expect(judge(address, false)).toBeUndefined()
  })

  it.each(['', 'localhost', '1.2.3', '::1::', 'fe80::1%'.repeat(2)])('%j is no address, and refused', (text) => {
    const judged = judge(text, true)
    if (text.startsWith('fe80')) expect(judged).toContain('link-local')
    else expect(judged).toContain('no address')
  })

  it('R-SEC-15 no way to write an IPv4 address as an IPv6 one changes what is said of it', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(octet, octet, octet, octet, fc.boolean(), (a, b, c, d, allowPrivate) => {
        const plain = judge(`${a}.${b}.${c}.${d}`, allowPrivate) === undefined
        const hex = (one: number, other: number) => ((one << 8) | other).toString(16)
        for (const prefix of ['::ffff:', '64:ff9b::']) {
          const [dotted, grouped] = [`${prefix}${a}.${b}.${c}.${d}`, `${prefix}${hex(a, b)}:${hex(c, d)}`]
          expect(judge(dotted, allowPrivate) === undefined).toBe(plain)
          expect(judge(grouped, allowPrivate) === undefined).toBe(plain)
        }
        expect(judge(`2002:${hex(a, b)}:${hex(c, d)}::1`, allowPrivate) === undefined).toBe(plain)
      }),
    )
  })
})
