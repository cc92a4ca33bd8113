import { describe, expect, it } from 'vitest'
import { parseArguments } from '../src/parse-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    exact: { type: ['number', 'null'] },
    metric: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'number' } },
    where: { $ref: '#/$defs/place' },
    any: {},
    mode: { enum: [1, 2] },
  },
  $defs: { place: { type: 'object' } },
}

describe('arguments on the command line', () => {
  it('are one JSON object', () => {
    expect(parseArguments(['{"city": "Oslo", "days": 2}'], schema)).toEqual({ city: 'Oslo', days: 2 })
  })

  it('are key=value pairs, read as the schema says', () => {
    const words = [
      'city=12',
      'days=3',
      'exact=null',
      'metric=true',
      'tags=1',
      'tags=2',
      'where={"lat":1}',
      'any=7',
      'mode=2',
    ]
    expect(parseArguments(words, schema)).toEqual({
      city: '12',
      days: 3,
      exact: null,
      metric: true,
      tags: [1, 2],
      where: { lat: 1 },
      any: '7',
      mode: 2,
    })
  })

  it('stay text where they do not read as what the schema wants', () => {
    expect(parseArguments(['days=soon', 'metric=maybe', 'where={'], schema)).toEqual({
      days: 'soon',
      metric: 'maybe',
      where: '{',
    })
  })

  it('may hold equal signs, nothing at all, and an awkward key', () => {
    const read = parseArguments(['city=a=b', 'any=', '__proto__=x'], schema)
    expect(Object.entries(read as object)).toEqual([
      ['city', 'a=b'],
      ['any', ''],
      ['__proto__', 'x'],
    ])
  })

  it('are refused when they are neither', () => {
    expect(() => parseArguments(['Oslo'], schema)).toThrow(expect.objectContaining({ code: 'USAGE' }))
    expect(() => parseArguments(['{"city": '], schema)).toThrow(expect.objectContaining({ code: 'USAGE' }))
  })

  it('are text without a schema', () => {
    expect(parseArguments(['a=1'], undefined)).toEqual({ a: '1' })
  })
})
