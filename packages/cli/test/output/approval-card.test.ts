import { describe, expect, it } from 'vitest'
import { approvalCard } from '../../src/output/approval-card.ts'
import { createPaint } from '../../src/output/paint.ts'
import { widthOf } from '../../src/output/safe-text.ts'

const base = {
  tool: 'notes__add',
  binds: `sha256:${'a'.repeat(64)}` as const,
  args: { text: 'Buy milk' },
  preview: ['adds note 18 to notes.json'],
  origin: 'this terminal · profile direct',
  width: 70,
  paint: createPaint(false),
}

describe('the approval card', () => {
  it('shows the arguments first, then what the plugin says, then the origin', () => {
    const { lines, code } = approvalCard(base)
    expect(lines[0]).toContain(`approve notes__add`)
    expect(lines[0]).toContain(code)
    const text = lines.join('\n')
    expect(text.indexOf('"Buy milk"')).toBeLessThan(text.indexOf('the plugin says'))
    expect(text.indexOf('the plugin says')).toBeLessThan(text.indexOf('origin'))
    expect(new Set(lines.map(widthOf))).toEqual(new Set([70]))
  })

  it('has a code of four readable characters that changes with what is decided', () => {
    const { code } = approvalCard(base)
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}$/)
    expect(approvalCard({ ...base, binds: `sha256:${'b'.repeat(64)}` }).code).not.toBe(code)
    expect(approvalCard(base).code).toBe(code)
  })

  it.each([
    ['an escape sequence', '\u001b[2J\u001b[1;1Happrove'],
    ['a carriage return', 'rm -rf /\rls'],
    ['a change of direction', 'abc\u202efdp.exe'],
    ['a tag character', 'a\u{e0041}b'],
    ['a zero-width character', 'a\u200bb'],
  ])('R-SEC-11 shows %s as an escape', (_what, text) => {
    const { lines } = approvalCard({ ...base, args: { [text]: text }, preview: [text], tool: text, origin: text })
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u200b\u202e\u{e0041}]/u)
  })

  it('R-SEC-11 counts runs of blanks instead of scrolling the arguments away', () => {
    const { lines } = approvalCard({ ...base, args: { text: `${'\n'.repeat(3_000)}x${' '.repeat(400)}y` } })
    expect(lines.length).toBeLessThan(12)
    expect(lines.join('')).toContain('⟨3000 blanks⟩')
    expect(lines.join('')).toContain('⟨400 blanks⟩')
  })

  it('R-SEC-11 shows markdown and a lying preview as what they are', () => {
    const { lines } = approvalCard({ ...base, args: { text: '**bold** [x](y)' }, preview: ['╭ approve safe__read ╮'] })
    const text = lines.join('\n')
    expect(text).toContain('**bold** [x](y)')
    expect(text.indexOf('the plugin says')).toBeLessThan(text.indexOf('safe__read'))
  })

  it('is long from 4 KB on, and shows all of it', () => {
    expect(approvalCard(base).isLong).toBe(false)
    const text = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const { isLong, lines } = approvalCard({ ...base, args: { text } })
    expect(isLong).toBe(true)
    expect(lines.map((line) => line.slice(2, -2).trim()).join('')).toContain('899')
  })
})
