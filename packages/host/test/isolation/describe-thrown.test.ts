import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeThrown } from '../../src/isolation/describe-thrown.ts'

const throwing = (name: string) => ({
  get [name](): never {
    throw new TypeError('hostile')
  },
})

describe('describeThrown', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'threw null'],
    ['undefined', undefined, 'threw undefined'],
    ['a number', 42, 'threw 42'],
    ['a bigint', 3n, 'threw 3'],
    ['a symbol', Symbol('why'), 'threw Symbol(why)'],
    ['a text', 'out of paper', 'out of paper'],
    ['an empty text', ' ', 'threw an empty text'],
    ['an error', new RangeError('too far'), 'too far'],
    ['an error without words', new RangeError(''), 'RangeError'],
    ['an error with a code only', Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED'],
    ['an object with a message', { message: 'plain' }, 'plain'],
    ['an object', { status: 500 }, 'threw {"status":500}'],
    ['a function', () => 1, 'threw a function'],
    ['an object without a prototype', Object.create(null), 'threw {}'],
    ['a throwing message', throwing('message'), 'threw something that can not be described'],
    ['a throwing cause', Object.assign(throwing('cause'), { message: 'seen' }), 'seen'],
  ])('describes %s', (_, thrown, message) => {
    if (_ === 'a throwing cause')
      thrown = Object.defineProperty(
        { message: 'seen' },
        'cause',
        Object.getOwnPropertyDescriptor(throwing('cause'), 'cause') ?? {},
      )
    expect(describeThrown(thrown)).toEqual({ message, causes: [] })
  })

  it('lists the chain of causes from outside to inside, falsy ones too', () => {
    const error = new Error('a', { cause: new Error('b', { cause: null }) })
    expect(describeThrown(error)).toEqual({ message: 'a', causes: ['b', 'threw null'] })
  })

  it('ends at a cause that was there before', () => {
    const error = new Error('a')
    error.cause = new Error('b', { cause: error })
    expect(describeThrown(error)).toEqual({ message: 'a', causes: ['b'] })
  })

  it('lists the errors of an AggregateError, each followed by its own causes', () => {
    const error = new AggregateError([new Error('one', { cause: 'why' }), new Error('two')], 'all failed')
    expect(describeThrown(error)).toEqual({ message: 'all failed', causes: ['one', 'why', 'two'] })
  })

  it('keeps at most eight causes and 2,000 characters a message', () => {
    const deep = Array.from({ length: 20 }).reduce<Error>(
      (cause, _, index) => new Error(`n${index}`, { cause }),
      new Error('root'),
    )
    expect(describeThrown(deep).causes).toHaveLength(8)
    const { message } = describeThrown(new Error('x'.repeat(5_000_000)))
    expect(message).toHaveLength(2_000)
    expect(message.endsWith('…')).toBe(true)
  })

  it('R-SEC-29 escapes what would drive a terminal', () => {
    expect(describeThrown(new Error('red \u001b[31m', { cause: 'cr \r\u202e' }))).toEqual({
      message: 'red \\u{001B}[31m',
      causes: ['cr \\u{000D}\\u{202E}'],
    })
  })

  it('redacts secrets in messages and causes, also where the cut falls', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const { message, causes } = describeThrown(new Error(`${'x '.repeat(990)}${token}`, { cause: `token ${token}` }))
    expect(message).not.toContain('ghp_')
    expect(causes).toEqual(['token [redacted:github-token]'])
  })

  it('never throws, whatever was thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (thrown) => {
        const { message, causes } = describeThrown(thrown)
        expect(message.length).toBeGreaterThan(0)
        expect(message.length).toBeLessThanOrEqual(2_000)
        expect(causes.length).toBeLessThanOrEqual(8)
      }),
    )
    expect(
      describeThrown(
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('trap')
            },
            has: () => {
              throw new Error('trap')
            },
          },
        ),
      ).causes,
    ).toEqual([])
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(describeThrown(proxy).message).not.toBe('')
  })
})
