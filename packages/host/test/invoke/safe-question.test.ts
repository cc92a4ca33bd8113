import { describe, expect, it } from 'vitest'
import { safeElicitation, safeLogMessage } from '../../src/invoke/safe-question.ts'

const form = (properties: object) =>
  safeElicitation('gh', { message: 'Please', requestedSchema: { type: 'object', properties } as never })

describe('a form of a server', () => {
  it.each([
    [{ password: { type: 'string' } }],
    [{ x: { type: 'string', title: 'Your GitHub token' } }],
    [{ apiKey: { type: 'string' } }],
    [{ pin: { type: 'string' } }],
    [{ x: { type: 'string', description: 'Paste your API key here' } }],
    [{ x: { type: 'string', format: 'password' } }],
  ])('R-SEC-09 that asks for secrets is put before nobody: %j', (properties) => {
    expect(() => form(properties)).toThrow(expect.objectContaining({ code: 'FEATURE_DENIED' }))
  })

  it('R-SEC-11 R-SEC-29 whose fields have names that hide something is put before nobody', () => {
    expect(() => form({ 'a\u202eb': { type: 'string' } })).toThrow(expect.objectContaining({ code: 'FEATURE_DENIED' }))
    expect(() => form({ 'a\u001b[2J': { type: 'string' } })).toThrow(
      expect.objectContaining({ code: 'FEATURE_DENIED' }),
    )
  })

  it('that asks for anything else is put under the name of who asks', () => {
    const shown = form({
      maxTokens: { type: 'integer', title: 'How many tokens' },
      spinner: { type: 'boolean', description: 'Do not give us your pin' },
    })
    expect(shown).toMatchObject({ message: 'gh: Please', requestedSchema: { properties: { maxTokens: {} } } })
  })
})

it('R-SEC-29 a line of a log has its three fields and nothing else', () => {
  const line = { level: 'info', logger: 'x', data: 'y', '\u001b[2J': 'z', extra: 'S3CRET' }
  expect(safeLogMessage('gh', line)).toEqual({ level: 'info', logger: 'gh/x', data: 'y' })
})
