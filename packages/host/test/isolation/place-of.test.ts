import { describe, expect, it } from 'vitest'
import { placeOf } from '../../src/isolation/place-of.ts'

function thrown(stack: string, { cause, syntax = false }: { cause?: unknown; syntax?: boolean } = {}): Error {
  const error = syntax ? new SyntaxError('x') : new TypeError('x', { cause })
  return Object.assign(error, { stack })
}

describe('placeOf', () => {
  it('names the first frame inside the folder, relative to it', () => {
    const stack = `TypeError: x
    at call (node:internal/x:1:2)
    at dep (/p/demo/node_modules/dep/index.js:1:1)
    at Object.setup (file:///p/demo/src/plugin.ts?v=1:12:5)
    at file:///p/demo/src/other.ts:1:1`
    expect(placeOf(thrown(stack), '/p/demo')).toBe('at src/plugin.ts:12:5')
  })

  it('names the line that stands above a SyntaxError, with and without a file URL', () => {
    expect(placeOf(thrown('/p/demo/a.ts:3\nlet x: =', { syntax: true }), '/p/demo')).toBe('at a.ts:3')
    expect(placeOf(thrown('file:///p/demo/a.js:1\nimport', { syntax: true }), '/p/demo')).toBe('at a.js:1')
  })

  it('looks into the causes', () => {
    const cause = thrown('TypeError: x\n    at file:///p/demo/a.js:1:2')
    expect(placeOf(thrown('TypeError: x\n    at file:///host/b.js:3:4', { cause }), '/p/demo')).toBe('at a.js:1:2')
  })

  it('knows no place without a folder, outside it, or for what is no readable error', () => {
    const elsewhere = thrown('TypeError: x\n    at file:///p/demo2/a.js:1:2')
    const hostile = Object.defineProperty(thrown(''), 'stack', { get: () => JSON.parse('{') })
    expect(placeOf(elsewhere, undefined)).toBeUndefined()
    for (const error of [elsewhere, hostile, null, 'text', thrown('')])
      expect(placeOf(error, '/p/demo')).toBeUndefined()
  })
})
