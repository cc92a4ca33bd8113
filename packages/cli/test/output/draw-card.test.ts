import { approvalCard } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { cardPayloads, rawInCard } from '../../../host/test/approvals/card-payloads.ts'
import { drawCard } from '../../src/output/draw-card.ts'
import { createPaint } from '../../src/output/paint.ts'
import { widthOf } from '../../src/output/safe-text.ts'

const call: Parameters<typeof approvalCard>[0] = {
  kind: 'approval',
  stream: 'call/c1',
  callId: 'c1',
  tool: 'notes__add',
  binds: `sha256:${'a'.repeat(64)}`,
  expiresAt: 1,
  args: { text: 'Buy milk' },
  preview: ['adds note 18 to notes.json'],
  asked: { decidedBy: 'approval', why: 'a person approves each call' },
  taint: { origins: [] },
}

function draw(changes: Partial<typeof call> = {}, who = 'this terminal'): readonly string[] {
  const card = approvalCard({ ...call, ...changes }, { who, profile: 'direct' })
  return drawCard(card, { width: 70, paint: createPaint(false) })
}

describe('the approval card in a terminal', () => {
  it('shows the arguments first, then what the plugin says, then the origin', () => {
    const lines = draw()
    expect(lines[0]).toMatch(/^╭ approve notes__add ─+ [A-Z2-9]{4} ╮$/)
    const text = lines.join('\n')
    expect(text.indexOf('"Buy milk"')).toBeLessThan(text.indexOf('the plugin says'))
    expect(text.indexOf('the plugin says')).toBeLessThan(text.indexOf('origin'))
    expect(new Set(lines.map(widthOf))).toEqual(new Set([70]))
  })

  it.each(cardPayloads)('R-SEC-11 shows %s as what it is, in as many columns as any other', (_what, text) => {
    const lines = draw({ args: { [text]: text }, preview: [text], tool: text }, text)
    expect(lines.join('')).not.toMatch(rawInCard)
    expect(new Set(lines.map(widthOf))).toEqual(new Set([70]))
    expect(lines.length).toBeLessThan(40)
  })

  it('R-SEC-11 counts runs of blanks instead of scrolling the arguments away', () => {
    const lines = draw({ args: { text: `${'\n'.repeat(3_000)}x${' '.repeat(400)}y` } })
    expect(lines.length).toBeLessThan(12)
    expect(lines.join('')).toContain('⟨3000 blanks⟩')
    expect(lines.join('')).toContain('⟨400 blanks⟩')
  })

  it('R-SEC-11 shows markdown and a lying preview as what they are', () => {
    const text = draw({ args: { text: '**bold** [x](y)' }, preview: ['╭ approve safe__read ╮'] }).join('\n')
    expect(text).toContain('**bold** [x](y)')
    expect(text.indexOf('the plugin says')).toBeLessThan(text.indexOf('safe__read'))
  })

  it('shows all of a long one', () => {
    const text = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const lines = draw({ args: { text } })
    expect(lines.map((line) => line.slice(2, -2).trim()).join('')).toContain('899')
  })
})
