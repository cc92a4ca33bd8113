import { createHash, randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactSecrets } from '../../src/text/redact-secrets.ts'
import { secretShapes } from '../../src/text/secret-shapes.ts'
import { secretSamples } from './secret-samples.ts'

const token = `ghp_${'a1B2'.repeat(9)}`

/** Texts in which secrets stand next to anything, other secrets too. */
const mixedText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...secretSamples.map(({ text }) => text)),
      fc.constantFrom(' ', '\n', '"', "'", '\\', '=', ': ', '{', '}', '@', '-', 'password', 'token', '[redacted:x]'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('redactSecrets', () => {
  it.each(secretSamples)('names a secret of shape $shape in $text', ({ text, redacted }) => {
    expect(redactSecrets(text)).toBe(redacted)
  })

  it('has a sample for each shape of the catalogue', () => {
    const names = new Set(secretShapes.map(({ name }) => name))
    expect(new Set(secretSamples.map(({ shape }) => shape))).toEqual(names)
  })

  it('finds a secret inside words, brackets and lines', () => {
    for (const { text, redacted } of secretSamples) {
      expect(redactSecrets(`see\n(${text}\n)`)).toBe(`see\n(${redacted}\n)`)
    }
  })

  it.each([
    randomUUID(),
    createHash('sha1').update('commit').digest('hex'),
    createHash('sha256').update('content').digest('hex'),
    `sha256:${createHash('sha256').update('x').digest('hex')}`,
    `sha512-${createHash('sha512').update('x').digest('base64')}`,
    Buffer.from('hello, small world').toString('base64'),
    'commit 1a2b3c4 by ada',
    'toolu_01A09q90qw90lq917835lq9',
    'run/3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    'sk-learn-is-a-python-package-of-some-length',
    'https://host.example:8080/path?next=a@b.example',
    'http://localhost:3000\\nmail ada@example.com',
    'ada@example.com',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'the password must be at least 8 characters long',
    'password: must be at least 8 characters long',
    'const password = process.env.PASSWORD',
    'const token = await createToken(user)',
    'token: string',
    'password?: string | undefined',
    'API_KEY=${API_KEY}',
    'TOKEN=$OTHER_TOKEN',
    '{"max_tokens": 4096, "tokens": 12}',
    '{"nextPageToken": "CAUQAA1234567890", "page_token=abcdefgh": 1}',
    '{"password": true, "token": null, "secret": ""}',
    '{"note": "the password:", "next": "value"}',
    '{"note": "password=", "next": "value"}',
    '{"token": "the", "logprob": -0.25}',
    'PWD=/home/ada',
  ])('leaves %s alone', (text) => {
    expect(redactSecrets(text)).toBe(text)
  })

  it('is not misled by characters without width, as such or as escapes of a JSON text', () => {
    for (const hidden of ['\u200B', '\u200D', '\u2060', '\uFEFF', '\u00AD', '\u{E0041}', '\uFE0F', '\\u200b'])
      for (const at of [1, 3, 4, 20]) {
        const masked = token.slice(0, at) + hidden + token.slice(at)
        expect(redactSecrets(`a ${masked} b`)).toBe('a [redacted:github-token] b')
      }
    expect(redactSecrets('pass\u200Bword=hun\u200Bter2')).toBe('pass\u200Bword=[redacted:password-assignment]')
  })

  it('is not misled by letters that look like others', () => {
    expect(redactSecrets(token.replace('a', 'а').replace('g', 'ｇ'))).toBe('[redacted:github-token]')
    expect(redactSecrets('Привет, ключ не здесь: ｆｕｌｌ')).toBe('Привет, ключ не здесь: ｆｕｌｌ')
  })

  it('hides the whole of two secrets that overlap', () => {
    expect(redactSecrets(`password="x ${token} y"`)).toBe('password="[redacted:github-token]"')
  })

  it('takes a mark that goes on for a secret, not for a mark', () => {
    expect(redactSecrets('secret=[redacted:x]tail')).toBe('secret=[redacted:password-assignment]')
    expect(redactSecrets('secret="[redacted:x] tail"')).toBe('secret="[redacted:password-assignment]"')
  })

  it('quotes the mark of a number in JSON', () => {
    expect(redactSecrets('{"password": 123456, "port": 8080}')).toBe(
      '{"password": "[redacted:password-assignment]", "port": 8080}',
    )
  })

  it('changes nothing when it is applied again', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const once = redactSecrets(text)
        expect(redactSecrets(once)).toBe(once)
      }),
      { numRuns: 600 },
    )
  })

  it.each(['\uFF3C', '\uFF02', 'a\uFF02b\uFF3C', '\uFF07'])(
    'keeps a JSON text one, whatever looks like a quote or a backslash: %s',
    (text) => {
      const redacted = redactSecrets(JSON.stringify({ password: text, log: `password=${text}secret1` }))
      expect(JSON.parse(redacted)).toEqual({ password: expect.anything(), log: expect.stringContaining('[redacted:') })
    },
  )

  it('keeps a JSON text one, however secrets stand in it', () => {
    const key = fc.oneof(fc.constantFrom('password', 'api_key', 'token', 'cookie', 'a "password":', 'x'), mixedText)
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<unknown>,
        mixedText,
        fc.integer({ min: 0, max: 1e9 }),
        mixedText.map((text) => JSON.stringify({ password: text, text })),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (json, indent) => {
        const redacted = redactSecrets(JSON.stringify(json, undefined, indent))
        expect(() => JSON.parse(redacted), redacted).not.toThrow()
      }),
      { numRuns: 800 },
    )
  })

  it('hides every secret of a JSON text', () => {
    for (const { secret } of secretSamples.filter(({ shape }) => shape !== 'password-assignment')) {
      const redacted = redactSecrets(JSON.stringify({ password: secret, log: `a\npassword="${secret}"\n` }))
      expect(redacted).not.toContain(secret)
      expect(Object.keys(JSON.parse(redacted))).toEqual(['password', 'log'])
    }
  })

  it.each([
    'a',
    'A',
    '-----BEGIN',
    '-----BEGIN PRIVATE KEY-----',
    'eyJ',
    'eyJaaaaaaaa.',
    'sk-',
    'password',
    'password="',
    'password=\'a"b',
    'password=\\"',
    'token: ',
    '--token ',
    'authorization: ',
    '://a:',
    '\\',
    '"',
    '<',
    ' ',
    '1',
    '\u200B',
  ])('takes linear time over a megabyte of %j', (part) => {
    const text = part.repeat(1_000_000 / part.length)
    const startedAt = performance.now()
    redactSecrets(text)
    // Quadratic time over a megabyte would take minutes; a busy machine takes less than this.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  it('survives a secret of many megabytes', () => {
    for (const prefix of ['password=', 'password="', 'ghp_', '://a:', '-----BEGIN PRIVATE KEY-----'])
      expect(redactSecrets(`${prefix}${'a1'.repeat(6_000_000)}@`).length).toBeLessThan(100)
    expect(redactSecrets(`password="${'\\n'.repeat(50_000)}"`)).toBe('password="[redacted:password-assignment]"')
  })
})
