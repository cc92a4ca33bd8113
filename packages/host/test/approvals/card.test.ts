import { digestOf, type Json } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { approvalCard, type WaitingCall } from '../../src/approvals/card.ts'
import { cardText } from '../../src/approvals/card-text.ts'
import { cardPayloads, rawInCard } from './card-payloads.ts'

const from = { who: 'key:abc', profile: 'cloud' }

function waiting(args: Json, preview: readonly string[] = []): WaitingCall {
  return {
    kind: 'approval',
    stream: 'call/c1',
    callId: 'c1',
    tool: 'notes__add',
    binds: digestOf({ args }),
    expiresAt: 1,
    args,
    preview,
    asked: { decidedBy: 'approval', why: 'a person approves each call' },
    taint: { origins: [] },
  }
}

describe('the card of a waiting call', () => {
  it('shows the arguments first, then what the plugin says, then the origin', () => {
    const card = approvalCard(waiting({ text: 'milk', at: 3 }, ['adds a note', 'number 18']), from)
    expect(card.args).toEqual([
      ['at', '3'],
      ['text', '"milk"'],
    ])
    expect(card.about).toEqual([
      ['the plugin says', 'adds a note'],
      ['', 'number 18'],
      ['origin', 'key:abc · profile cloud · no taint'],
    ])
    expect(card.code).toMatch(/^[A-HJ-NP-Z2-9]{4}$/)
    expect(approvalCard(waiting({ text: 'milk', at: 4 }), from).code).not.toBe(card.code)
  })

  it('says what its caller had read, and why it is asked about this one', () => {
    const call = {
      ...waiting({}),
      client: 'editor',
      asked: { decidedBy: 'rule', why: 'mail leaves the house' },
      taint: { dataClass: 'secretAdjacent', origins: ['vault', 'files', 'mail', 'web'] },
    } as const
    const { args, about } = approvalCard(call, from)
    expect(args).toEqual([['arguments', 'none']])
    expect(about).toEqual([
      ['asked because', 'mail leaves the house'],
      ['origin', 'key:abc · editor · profile cloud · has read secretAdjacent from vault, files, mail'],
    ])
  })

  it.each(cardPayloads)('R-SEC-11 puts no raw character out: %s', (_what, text) => {
    const call = { ...waiting({ [text]: text }, [text]), client: text, tool: text }
    const card = approvalCard(call, { who: text, profile: text })
    const shown = [card.tool, ...card.args.flat(), ...card.about.flat()]
    for (const part of shown) {
      expect(part).not.toMatch(rawInCard)
      expect(part).not.toMatch(/[\n\t]/)
    }
    // What runs is not changed by how it is shown, and nothing of it scrolls away.
    expect(Math.max(...shown.map((part) => part.length))).toBeLessThan(800)
  })

  it.each(cardPayloads)('R-SEC-11 stays text where a message may be taken for markdown: %s', (_what, text) => {
    const message = cardText(approvalCard(waiting({ text }, [text]), from))
    expect(message).not.toMatch(rawInCard)
    const [heading, empty, ...lines] = message.split('\n')
    expect(heading).toMatch(/^Rollcall asks: approve this call\? Its code is [A-Z2-9]{4}\.$/)
    expect(empty).toBe('')
    for (const line of lines) expect(line).toMatch(/^ {4}\S/)
  })

  it('R-SEC-11 is long from 4 KB on', () => {
    expect(approvalCard(waiting({ text: 'a'.repeat(4_000) }), from).isLong).toBe(false)
    expect(approvalCard(waiting({ text: 'a'.repeat(4_100) }), from).isLong).toBe(true)
    expect(approvalCard(waiting({}, ['a'.repeat(4_100)]), from).isLong).toBe(true)
  })
})
