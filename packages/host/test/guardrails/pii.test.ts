import { describe, expect, it } from 'vitest'
import { localUser } from '../../src/gate/local-user.ts'
import { chooseGuardrails } from '../../src/guardrails/choose-guardrails.ts'
import { createGuardrails } from '../../src/guardrails/create-guardrails.ts'
import { systemClock } from '../../src/ports/system-clock.ts'

const guardrails = createGuardrails({ clock: systemClock, onFinding() {} })
guardrails.use(chooseGuardrails({ use: ['pii'] }, []))
const context = { principal: localUser, profile: 'direct' }
const redacted = async (text: string) => (await guardrails.check('toolResult', [text], context)).texts[0]

describe('what tells a person', () => {
  it.each([
    ['write to ada.lovelace+x@mail.example.co.uk now', 'write to [redacted:email] now'],
    ['<jürgen@example.org>', '<jürgen@example.org>'.replace(/jürgen@example\.org/, 'jü[redacted:email]')],
    ['call +49 30 901820 today', 'call [redacted:phone] today'],
    ['call 0031 20 5551234.', 'call [redacted:phone].'],
    ['Tel. 030/901820-11', 'Tel. [redacted:phone]'],
    ['(212) 555-0123', '[redacted:phone]'],
    ['card 4111 1111 1111 1111, thanks', 'card [redacted:card], thanks'],
    ['card 378282246310005', 'card [redacted:card]'],
    ['IBAN NL91 ABNA 0417 1643 00', 'IBAN [redacted:iban]'],
    ['DE89370400440532013000', '[redacted:iban]'],
    ['{"card":4111111111111111,"mail":"a@b.nl"}', '{"card":"[redacted:card]","mail":"[redacted:email]"}'],
  ])('is redacted: %s', async (text, expected) => {
    expect(await redacted(text)).toBe(expected)
  })

  it.each([
    '4111 1111 1111 1112',
    'DE89370400440532013001',
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
    'at 2026-11-25T10:15:30.000Z, 1732529730000',
    'version 10.20.30.40, 1.2.3-4567890',
    '192.168.100.200:8080',
    'order 1234567890',
    'npm i @rollcall/plugin@1.2.3',
    'git@github.com:acme/tool.git'.replace('git@github.com', 'git at github'),
    'https://host.example/a/0123456789012/b',
    'between 100 200 300 pieces',
    'chromosome 1:12345678-12345999',
  ])('is not seen in %s', async (text) => {
    expect(await redacted(text)).toBe(text)
  })

  it('in arguments is put before a person, and not rewritten', async () => {
    const checked = await guardrails.check('toolArguments', ['{"to":"ada@example.com"}'], context)
    expect(checked).toMatchObject({ verdict: 'ask', texts: ['{"to":"ada@example.com"}'], guardrails: ['pii'] })
    expect(checked.reasons[0]).not.toContain('ada@')
  })

  it('takes time in proportion to the length of the text', async () => {
    for (const piece of ['1 ', 'a.', '0-', 'A1', '+1', '@a.', '(0)']) {
      const began = performance.now()
      await redacted(piece.repeat(100_000))
      expect(performance.now() - began, piece).toBeLessThan(2_000)
    }
  })
})
