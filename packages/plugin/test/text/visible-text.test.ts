import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasHiddenCharacters, visibleText } from '../../src/text/visible-text.ts'

const emoji = [
  '👩‍👩‍👧‍👦',
  '👩🏽‍💻',
  '❤️‍🔥',
  '🏳️‍🌈',
  '🏳️‍⚧️',
  '1️⃣',
  '#️⃣',
  '☎︎',
  '🇳🇴',
  '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
]
const writing = [
  'می‌خواهم',
  'السلام عليكم',
  'שָׁלוֹם',
  'क्‍ष हिन्दी',
  'ශ්‍රී',
  'ന്‍',
  '日本語 中文 한국어',
  'Ünïcødé',
  'Ελληνικά',
  'ไทย',
]

/** Any code unit, hidden ones more often. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
      fc.integer({ min: 0, max: 0xa0 }).map((point) => String.fromCodePoint(point)),
      fc.integer({ min: 0x2000, max: 0x2070 }).map((point) => String.fromCodePoint(point)),
      fc.integer({ min: 0xe0000, max: 0xe01ef }).map((point) => String.fromCodePoint(point)),
      fc.constantFrom(...emoji, ...writing, '\u200D', '\u200C', '\uFE0F', '\\u{001B}'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''))

describe('visibleText', () => {
  it.each([
    ['\u001b[31m', '\\u{001B}[31m'],
    ['a\rb', 'a\\u{000D}b'],
    ['\r\n', '\\u{000D}\n'],
    ['\u0000\u0007\u007f', '\\u{0000}\\u{0007}\\u{007F}'],
    ['\u009b', '\\u{009B}'],
    ['\u202eabc\u202c', '\\u{202E}abc\\u{202C}'],
    ['\u2066x\u2069\u200f', '\\u{2066}x\\u{2069}\\u{200F}'],
    ['a\u200bb\u2060c\ufeff', 'a\\u{200B}b\\u{2060}c\\u{FEFF}'],
    ['\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['\u{E0041}\u{E0042}', '\\u{E0041}\\u{E0042}'],
    ['😀\u{E0100}\u{E01EF}', '😀\\u{E0100}\\u{E01EF}'],
    ['😀\uFE0F\uFE0F', '😀\uFE0F\\u{FE0F}'],
    ['x\uFE0F', 'x\\u{FE0F}'],
    ['a\u200Db', 'a\\u{200D}b'],
    ['می\u200C\u200Cخ', 'می\\u{200C}\\u{200C}خ'],
    ['🏴\u{E0067}\u{E0062}', '🏴\\u{E0067}\\u{E0062}'],
    ['\ud800x\udc00', '\\u{D800}x\\u{DC00}'],
    ['so\u00ADft \u3164', 'so\\u{00AD}ft \\u{3164}'],
  ])('writes what is hidden in %j as an escape', (text, visible) => {
    expect(visibleText(text)).toBe(visible)
    expect(hasHiddenCharacters(text)).toBe(true)
  })

  it.each([...emoji, ...writing, 'two\nlines\tand a tab', ''])('keeps %s as it is', (text) => {
    expect(visibleText(text)).toBe(text)
    expect(hasHiddenCharacters(text)).toBe(false)
  })

  it('R-SEC-29 lets no control byte, bidi control or lone surrogate through', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const visible = visibleText(text)
        expect(visible).not.toMatch(
          /(?![\n\t])\p{Cc}|[\p{Cs}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/u,
        )
        expect(visible.isWellFormed()).toBe(true)
      }),
      { numRuns: 600 },
    )
  })

  it('changes nothing when it is applied again, and agrees with hasHiddenCharacters', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const visible = visibleText(text)
        expect(visibleText(visible)).toBe(visible)
        expect(hasHiddenCharacters(text)).toBe(visible !== text)
      }),
      { numRuns: 600 },
    )
  })

  it('keeps everything that it does not escape, in order', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const restored = visibleText(text.replaceAll('\\', '')).replace(/\\u\{([0-9A-F]+)\}/g, (_, digits: string) =>
          String.fromCodePoint(Number.parseInt(digits, 16)),
        )
        expect(restored).toBe(text.replaceAll('\\', ''))
      }),
    )
  })
})
