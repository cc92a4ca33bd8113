import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/text/create-redactor.ts'
import { redactSecrets } from '../../src/text/redact-secrets.ts'
import { secretSamples } from './secret-samples.ts'

/** What comes out of a redactor for these pieces, piece by piece. */
function stream(pieces: readonly string[]): readonly string[] {
  const redactor = createRedactor()
  return [...pieces.map((piece) => redactor.push(piece)), redactor.end()]
}

const prose = 'The forecast for today is fine, with some wind from the west. '
const surroundings = [
  { before: '', after: '' },
  { before: prose.repeat(4), after: `\n${prose.repeat(4)}` },
  { before: `${prose}see (`, after: `)\n${prose.repeat(3)}` },
]

describe('R-GOV-38 a redactor of a stream', () => {
  it.each(secretSamples)('gives what the whole text gives, wherever it is cut: $shape in $text', ({ text, secret }) => {
    for (const { before, after } of surroundings) {
      const whole = before + text + after
      const expected = redactSecrets(whole)
      for (let at = before.length; at <= before.length + text.length; at += 1) {
        const given = stream([whole.slice(0, at), whole.slice(at)])
        expect(given.join(''), `cut at ${at}`).toBe(expected)
        expect(leakedFrom(given[0] ?? '', secret, redactSecrets(whole)), `cut at ${at}`).toBe('')
      }
      expect(stream([...whole]).join('')).toBe(expected)
    }
  })

  it('gives what the whole text gives, however it is cut', () => {
    const part = fc.oneof(
      fc.constantFrom(...secretSamples.map(({ text }) => text)),
      fc.constantFrom(
        prose,
        prose.repeat(3),
        '\n',
        ' ',
        'password: ',
        '{"token":"',
        '"}',
        'key=',
        'eyJhbGciOi',
        '://u:',
      ),
    )
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(' '))
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }), (whole, sizes) => {
        const pieces: string[] = []
        for (let at = 0, n = 0; at < whole.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1
          pieces.push(whole.slice(at, at + size))
          at += size
        }
        expect(stream(pieces).join('')).toBe(redactSecrets(whole))
      }),
      { numRuns: 300 },
    )
  })

  it('holds back no more than it must of ordinary text', () => {
    const redactor = createRedactor()
    let given = ''
    let pushed = 0
    for (let n = 0; n < 400; n += 1) {
      given += redactor.push(prose)
      pushed += prose.length
      expect(pushed - given.length).toBeLessThan(256)
    }
    expect(given + redactor.end()).toBe(prose.repeat(400))
  })

  it.each([
    ['a line without end', 'x'.repeat(40_000)],
    ['JSON on one line', JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, token: null, name: 'a b' })))],
    ['what begins like a key in every word', 'ghp_ eyJ sk- password: '.repeat(2_000)],
  ])('holds back 4,096 characters at most: %s', (_what, text) => {
    const redactor = createRedactor()
    let given = ''
    for (let at = 0; at < text.length; at += 500) {
      given += redactor.push(text.slice(at, at + 500))
      expect(at + 500 - given.length).toBeLessThanOrEqual(4_096 + 500)
    }
    expect(given + redactor.end() === redactSecrets(text)).toBe(true)
  })

  const long = 'aB3dE5fG7hJ9kL1m'.repeat(1_250)
  it.each([
    ['a token of three parts', `eyJ${long}.${long}.${long}`],
    [
      'a key in lines',
      `-----BEGIN RSA PRIVATE KEY-----\n${long.replace(/.{64}/g, '$&\n')}\n-----END RSA PRIVATE KEY-----`,
    ],
    ['a quoted password', `"password": "${'four words of it '.repeat(1_000)}"`],
    ['a password in an address', `postgres://user:${long}@host/db`],
    ['a value to the end of its line', `api_key=${long}`],
  ])('shows nothing of a secret that is longer than all it may hold: %s', (_what, secret) => {
    const whole = `${prose.repeat(3)}\n${secret}\n${prose.repeat(3)}`
    for (const size of [1_000, 4_000, 7, 30_000]) {
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const given = stream(pieces).join('')
      for (const piece of ['aB3dE5fG7hJ9kL1m', 'four words']) expect(given, `${size}`).not.toContain(piece)
      expect(given.startsWith(prose.repeat(3))).toBe(true)
      expect(given.endsWith(prose.repeat(3))).toBe(true)
      expect(given).toContain('[redacted:')
    }
  })
})

it('R-SEC-13 no page of a redacted text shows a part of a secret, at whatever offset it begins or ends', () => {
  for (const { text, secret } of secretSamples) {
    const whole = redactSecrets(`${prose}\n${text}\n${prose}`)
    for (let at = 0; at < whole.length; at += 1)
      for (const page of [whole.slice(0, at), whole.slice(at), whole.slice(at, at + 20)])
        expect(leakedFrom(page, secret, whole)).toBe('')
  }
})

/** A part of a secret, eight characters or more, that is shown and would not be in the redacted whole. */
function leakedFrom(shown: string, secret: string, whole: string): string {
  for (let at = 0; at + 8 <= secret.length; at += 1) {
    const part = secret.slice(at, at + 8)
    if (shown.includes(part) && !whole.includes(part)) return part
  }
  return ''
}
