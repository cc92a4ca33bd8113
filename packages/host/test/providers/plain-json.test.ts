import { describe, expect, it } from 'vitest'
import { plainJson } from '../../src/providers/plain-json.ts'

function why(value: unknown): string {
  const plain = plainJson(value)
  return plain.ok ? 'fine' : plain.why
}

describe('plainJson', () => {
  it('copies and freezes all levels', () => {
    const original = { a: [{ b: 1 }], at: new Date(0), gone: undefined, list: [undefined] }
    const plain = plainJson(original)
    expect(plain).toEqual({ ok: true, value: { a: [{ b: 1 }], at: '1970-01-01T00:00:00.000Z', list: [null] } })
    original.a.length = 0
    expect(plain).toMatchObject({ value: { a: [{ b: 1 }] } })
    expect(plain.ok && Object.isFrozen((plain.value as { a: unknown[] }).a[0])).toBe(true)
  })

  it('keeps a key __proto__ a key', () => {
    const plain = plainJson(JSON.parse('{"__proto__":{"admin":true}}'))
    expect(plain.ok && Object.keys(plain.value as object)).toEqual(['__proto__'])
    expect(plain.ok && (plain.value as { admin?: boolean }).admin).toBe(undefined)
  })

  const circle: { self?: unknown } = {}
  circle.self = circle

  it.each<[string, unknown, RegExp]>([
    ['a function', { a: { b() {} } }, /^\/a\/b is a function/],
    ['undefined alone', undefined, /^it is undefined/],
    ['a symbol', [Symbol('x')], /^\/0 is a symbol/],
    ['a big integer', 1n, /bigint/],
    ['NaN', { n: Number.NaN }, /^\/n is NaN/],
    ['a Map', { m: new Map([[1, 2]]) }, /^\/m is a Map/],
    ['a promise', Promise.resolve(1), /Promise/],
    ['a circle', circle, /levels deep/],
    [
      'a getter that throws',
      {
        get a() {
          throw null
        },
      },
      /reading it threw/,
    ],
  ])('refuses %s', (_, value, reason) => {
    expect(why(value)).toMatch(reason)
  })
})
