import type { CallerPort } from '@rollcall/host'
import { localUser } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { safeElicitation, safeLogMessage } from '../../src/invoke/safe-question.ts'
import { featureHost, serverWith } from '../features/feature-host.ts'

const able = { sampling: {}, elicitation: { form: {} }, roots: {} }

function callerThat(asked: unknown[]): CallerPort {
  return {
    capabilities: able,
    async elicit(params) {
      asked.push(params)
      return { action: 'decline' }
    },
    async sample(params) {
      asked.push(params)
      return { role: 'assistant', content: { type: 'text', text: 'ok' } }
    },
  }
}

describe('what a server asks of its caller', () => {
  it('is asked under the name of who asks, with nothing hidden, and recorded', async () => {
    const asked: unknown[] = []
    await using app = await featureHost(
      { ev: serverWith({}) },
      { profiles: [{ name: 'able', zone: 'local', sampling: true }] },
    )
    const outcome = await app.host.tools.call(
      'ev__ask',
      {},
      { principal: localUser, profile: 'able', caller: callerThat(asked) },
    )
    expect(outcome).toMatchObject({ status: 'ok', structured: { capabilities: able } })
    expect(asked[0]).toMatchObject({ message: expect.stringMatching(/^ev: Name\?\\u/) })
    const records = await app.records()
    expect(records.map(({ subject, status }) => [subject, status])).toEqual([
      ['elicitation', 'ok'],
      ['sampling', 'ok'],
      [undefined, 'ok'],
    ])
  })

  it('is denied where the profile lets no server ask, and the server is not told that the caller could', async () => {
    const asked: unknown[] = []
    await using app = await featureHost(
      { ev: serverWith({}) },
      { profiles: [{ name: 'shy', zone: 'local', elicitation: false, roots: false }] },
    )
    const call = app.host.tools.call('ev__ask', {}, { principal: localUser, profile: 'shy', caller: callerThat(asked) })
    const outcome = await call
    expect(outcome.status).toBe('failed')
    expect(asked).toEqual([])
    expect(await app.records()).toContainEqual({
      tool: 'ev__ask',
      subject: 'elicitation',
      status: 'denied',
      code: 'FEATURE_DENIED',
    })
  })

  it('never opens an address that is none of the web', () => {
    expect(() => safeElicitation('ev', { mode: 'url', message: 'x', url: 'javascript:alert(1)' })).toThrow(
      /none of the/,
    )
    const { url } = safeElicitation('ev', { mode: 'url', message: 'x', url: 'https://exаmple.com/' })
    expect(url).toMatch(/^https:\/\/xn--/)
  })

  it('R-SEC-29 logs no secret and no control character', () => {
    const { logger, data } = safeLogMessage('ev', {
      logger: 'a\u001b[2J',
      data: { text: 'key sk-ant-api03-AAAAAAAAAAAAAAAAAAAA' },
    })
    expect(`${String(logger)}${JSON.stringify(data)}`).not.toMatch(/\u001b|AAAAAAAA/)
    const { data: long } = safeLogMessage('ev', { data: 'x'.repeat(100_000) })
    expect(JSON.stringify(long).length).toBeLessThan(20_000)
  })

  it('shows what a tool needs of its caller', async () => {
    await using app = await featureHost({ ev: serverWith({}) })
    expect(app.host.tools.all().find(({ name }) => name === 'ev__able')?.needs).toEqual(['sampling'])
  })
})
