import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { publicName, publicNames } from '../../src/catalogue/public-name.ts'

const appIds = fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/)
// Near each other on purpose: what is replaced or cut must still be told apart.
const originals = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.stringMatching(/^[a-z._/-]{1,4}$/),
  fc.stringMatching(/^x{55,70}[ab]$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
)

describe('publicName', () => {
  it('keeps a plain name as it is', () => {
    expect(publicName('notes', 'read_page-2')).toBe('notes__read_page-2')
  })

  it('marks each replacement and each cut with six digits of a hash', () => {
    expect(publicName('notes', 'a.b')).toMatch(/^notes__a_b-[0-9a-f]{6}$/)
    expect(publicName('notes', 'größe')).toMatch(/^notes__gr__e-[0-9a-f]{6}$/)
    expect(publicName('notes', 'x'.repeat(80))).toMatch(/^notes__x{50}-[0-9a-f]{6}$/)
  })

  it('replaces one character outside the basic plane by one underscore', () => {
    expect(publicName('notes', '😀')).toMatch(/^notes___-[0-9a-f]{6}$/)
  })

  it('depends on the appId', () => {
    expect(publicName('one', 'a.b').slice(-6)).not.toBe(publicName('two', 'a.b').slice(-6))
  })

  it('is valid for every vendor and always the same', () => {
    fc.assert(
      fc.property(appIds, originals, (appId, original) => {
        const name = publicName(appId, original)
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(name.startsWith(`${appId}__`)).toBe(true)
        expect(publicName(appId, original)).toBe(name)
      }),
    )
  })
})

describe('publicNames', () => {
  it('names different tools differently, in whatever order they are listed', () => {
    fc.assert(
      fc.property(appIds, fc.uniqueArray(originals, { maxLength: 40 }), (appId, listed) => {
        const names = publicNames(appId, listed)
        expect(new Set(names.values()).size).toBe(listed.length)
        for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(new Map([...publicNames(appId, listed.toReversed())].reverse())).toEqual(names)
      }),
    )
  })

  it('names a tool as if it were alone, unless two names meet', () => {
    fc.assert(
      fc.property(appIds, fc.uniqueArray(originals, { minLength: 1, maxLength: 20 }), (appId, listed) => {
        for (const [original, name] of publicNames(appId, listed)) expect(name).toBe(publicName(appId, original))
      }),
    )
  })

  it('leaves a met name to the tool that is called so and gives the other ten digits', () => {
    const met = publicName('notes', 'a.b').slice('notes__'.length)
    const names = publicNames('notes', ['a.b', met])
    expect(names.get(met)).toBe(`notes__${met}`)
    expect(names.get('a.b')).toMatch(/^notes__a_b-[0-9a-f]{10}$/)
  })

  it('goes on when the longer name is taken as well', () => {
    const six = publicName('notes', 'a.b').slice('notes__'.length)
    const ten = (publicNames('notes', ['a.b', six]).get('a.b') ?? '').slice('notes__'.length)
    const names = publicNames('notes', [ten, 'a.b', six])
    expect(names.get(ten)).toBe(`notes__${ten}`)
    expect(new Set(names.values()).size).toBe(3)
  })
})
