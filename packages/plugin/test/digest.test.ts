import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, digestOf } from '../src/digest.ts'

const invalid = { code: 'TOOL_ARGUMENTS_INVALID' }

describe('canonicalJson', () => {
  it.each<[unknown, string]>([
    [null, 'null'],
    [true, 'true'],
    [[3, 1, [2]], '[3,1,[2]]'],
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    [{ 10: 'x', 9: 'y', B: 1, a: 2 }, '{"10":"x","9":"y","B":1,"a":2}'],
    // By UTF-16 units a character beyond the basic plane (D83C …) comes before U+FB01.
    [{ '\uFB01': 1, '🌲': 2, å: 3, '\t': 4, z: 5 }, '{"\\t":4,"z":5,"å":3,"🌲":2,"\uFB01":1}'],
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [-0, '0'],
    [-1.5e-9, '-1.5e-9'],
    [0.1 + 0.2, '0.30000000000000004'],
    [5e-324, '5e-324'],
    [9007199254740992, '9007199254740992'],
    ['€ ½ é 한 𝄞', '"€ ½ é 한 𝄞"'],
    ['"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u2028"'],
    [{ e: 'e\u0301', é: 1 }, '{"e":"e\u0301","é":1}'],
    [{ gone: undefined, list: [undefined] }, '{"list":[null]}'],
    [JSON.parse('{"__proto__": 1, "constructor": 2}'), '{"__proto__":1,"constructor":2}'],
  ])('writes %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('does not depend on the order in which keys were written, and reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
        expect(canonicalJson(reverseKeys(value))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('writes deep values without running out of stack', () => {
    const depth = 50_000
    const deep = Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 0)
    expect(canonicalJson(deep)).toBe(`${'['.repeat(depth)}0${']'.repeat(depth)}`)
  })

  it('refuses what JSON can not hold', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = [cycle]
    for (const value of [Number.NaN, Infinity, [-Infinity], cycle, undefined, () => 1, Symbol('x'), 10n, '\ud800'])
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining(invalid))
  })
})

describe('digestOf', () => {
  it('is SHA-256 over the canonical text in UTF-8', () => {
    expect(digestOf({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
    expect(digestOf({ b: 'é', a: 1 })).toBe(digestOf({ a: 1, b: 'é' }))
    expect(digestOf('é')).not.toBe(digestOf('e\u0301'))
  })

  it('refuses what JSON can not hold', () => {
    expect(() => digestOf(Number.NaN)).toThrow(expect.objectContaining(invalid))
  })
})

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reverseKeys(inner)]),
  )
}

it('a value with lone surrogates has a digest of its own, although it has no canonical text', () => {
  const lone = digestOf({ text: 'a \ud800 b' })
  expect(lone).toMatch(/^sha256:/)
  expect(digestOf({ text: 'a \ud801 b' })).not.toBe(lone)
  expect(digestOf({ text: 'a \u{1f600} b' })).not.toBe(lone)
  expect(() => canonicalJson({ text: '\ud800' })).toThrow()
})
