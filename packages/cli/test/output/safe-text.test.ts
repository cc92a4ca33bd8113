import { describe, expect, it } from 'vitest'
import { cutTo, manyLines, oneLine, widthOf } from '../../src/output/safe-text.ts'

const hostile = 'a\u001b[2Jb\rc\nd\u202ee\u200bf\u0007g\u009b1m\u2028h'

describe('text that others wrote', () => {
  it('R-SEC-29 has no raw control, bidi or zero-width character on one line', () => {
    expect(oneLine(hostile)).not.toMatch(/[\p{Cc}\u200b\u202e\u2028\u2029]/u)
    expect(oneLine('a\nb\tc')).toBe('a\\nb\\tc')
  })

  it('R-SEC-29 keeps its line ends and tabs where it may have lines, and nothing else that moves the cursor', () => {
    const shown = manyLines(`${hostile}\r\nx\ty`)
    expect(shown.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(/[\p{Cc}\u200b\u202e\u2028]/u)
    expect(shown).toContain('\nx\ty')
  })

  it('is cut at a character that a reader sees, to the width that a terminal shows', () => {
    expect(cutTo('abcdef', 4)).toBe('abc…')
    expect(cutTo('日本語です', 5)).toBe('日本…')
    expect(cutTo('abc', 3)).toBe('abc')
    expect(widthOf('e\u0301')).toBe(1)
  })
})
