import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyRanges } from '../../src/guardrails/apply-ranges.ts'

const range = (start: number, end: number, label = 'x') => ({ start, end, label })

describe('applyRanges', () => {
  it('puts a mark in the place of each range, whatever their order, and one where two meet', () => {
    expect(applyRanges('abcdef', [range(4, 5), range(0, 1, 'y')])).toBe('[redacted:y]bcd[redacted:x]f')
    expect(applyRanges('abcdef', [range(1, 3), range(2, 4, 'y')])).toBe('a[redacted:x]ef')
    expect(applyRanges('abc', [])).toBe('abc')
  })

  it('leaves no half of a character', () => {
    expect(applyRanges('a😀b', [range(2, 4)])).toBe('a[redacted:x]')
    expect(applyRanges('a😀b', [range(0, 2)])).toBe('[redacted:x]b')
  })

  it('R-GOV-34 takes a number out of JSON as a text, and respects escapes', () => {
    expect(applyRanges('{"a":12345}', [range(6, 8)])).toBe('{"a":"[redacted:x]"}')
    expect(applyRanges('{"a":"b\\nc"}', [range(8, 9)])).toBe('{"a":"b[redacted:x]c"}')
    expect(applyRanges('{"a":"b\\\\"}', [range(7, 8)])).toBe('{"a":"b[redacted:x]"}')
    expect(applyRanges('{"a":"b"}', [range(0, 9)])).toBe('{"[redacted:x]":"[redacted:x]"}')
  })

  it('R-GOV-34 keeps any JSON text one, and nothing of what stood in the range', () => {
    const ranges = fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 60 })), { maxLength: 4 })
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), ranges, (value, indent, given) => {
        const text = JSON.stringify(value, null, indent)
        const own = given.flatMap(([start, length]) =>
          start < text.length ? [range(start, Math.min(text.length, start + length))] : [],
        )
        const redacted = applyRanges(text, own)
        if (/^\s*[[{"]/.test(text)) expect(() => JSON.parse(redacted)).not.toThrow()
        for (const { start, end } of own)
          if (/^[a-z]{6,}$/.test(text.slice(start, end))) expect(redacted).not.toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})
