import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JsonObject, type Logger, Type } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localClient, localUser } from '../../src/gate/local-user.ts'
import type { Approvals } from '../../src/gate/profile.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { hostWith, waitingFor } from '../invoke/host-with.ts'
import { writingTool } from '../plugins-in-code.ts'

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A webhook on a port of its own. */
async function openWebhook(answer: (count: number) => number = () => 204) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    received.push({ headers: request.headers, body })
    response.writeHead(answer(received.length)).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks/T0PS3CRET`,
    received,
    notices: () => received.map(({ body }) => JSON.parse(body) as { type: string; data: JsonObject }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const asClient = { principal: localClient, profile: 'team' }
const teamHost = (notify: Approvals['notify'], options: Parameters<typeof hostWith>[1] & Approvals = {}) => {
  const { by, escalateAfterMs, ...rest } = options
  const approvals = {
    ...(notify && { notify }),
    ...(by && { by }),
    ...(escalateAfterMs !== undefined && { escalateAfterMs }),
  }
  return hostWith([writingTool('write', [])], { profiles: [{ name: 'team', zone: 'local', approvals }], ...rest })
}
const own = { allowPrivateNetwork: true }

describe('a webhook of a profile', () => {
  it('R-GOV-46 gets the card of each call that waits, signed, once', async () => {
    await using hook = await openWebhook()
    const secret = 'whsec_c2VjcmV0LWZvci10ZXN0cw=='
    const notify = { webhook: hook.url, secret: { env: 'HOOK' }, ...own }
    await using app = await teamHost(notify, { resolveSecret: async () => secret })
    const { ref } = await waitingFor(app.host, 'milk', asClient)
    await expect.poll(() => hook.received.length, { timeout: 5_000 }).toBe(1)
    const [{ headers, body } = { headers: {}, body: '' }] = hook.received
    expect(JSON.parse(body)).toMatchObject({
      type: 'approval.requested',
      data: {
        callId: ref.callId,
        principal: 'local-client',
        profile: 'team',
        card: {
          tool: 'app__write',
          args: [['text', '"milk"']],
          about: [
            ['the plugin says', 'would write milk'],
            ['origin', 'local-client · profile team · no taint'],
          ],
          isLong: false,
        },
        text: expect.stringContaining('    text: "milk"'),
      },
    })
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const expected = createHmac('sha256', 'secret-for-tests').update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    await new Promise((settle) => setTimeout(settle, 2_500))
    expect(hook.received).toHaveLength(1)
  })

  it('R-GOV-46 is told by one of several processes on a store, of calls of any of them', async () => {
    await using hook = await openWebhook()
    const store = createMemoryStore()
    const notify = { webhook: hook.url, ...own }
    await using one = await teamHost(notify, { store })
    await using two = await teamHost(notify, { store })
    await waitingFor(one.host, 'a', asClient)
    await waitingFor(two.host, 'b', asClient)
    await expect.poll(() => hook.received.length, { timeout: 8_000 }).toBe(2)
    await new Promise((settle) => setTimeout(settle, 2_500))
    expect(hook.received).toHaveLength(2)
  })

  it('R-GOV-46 that fails is tried again, with the same id, and its address shows in no log', async () => {
    const lines: string[] = []
    const write = (...words: readonly unknown[]) => lines.push(JSON.stringify(words))
    const logger: Logger = { debug: write, info: write, warn: write, error: write }
    await using hook = await openWebhook((count) => (count === 1 ? 500 : 204))
    await using app = await teamHost({ webhook: hook.url, ...own }, { logger, clock: hurried(10) })
    await waitingFor(app.host, 'a', asClient)
    await expect.poll(() => hook.received.length, { timeout: 15_000 }).toBe(2)
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(lines.join('\n')).toContain('tried again')
    expect(lines.join('\n')).not.toContain('T0PS3CRET')
  })

  it('R-GOV-46 is told again when the call has waited for too long, and forgets it when it is decided', async () => {
    await using hook = await openWebhook()
    await using app = await teamHost({ webhook: hook.url, ...own }, { by: ['ann'], escalateAfterMs: 1_000 })
    const { ref, pending } = await waitingFor(app.host, 'a', asClient)
    const types = () => hook.notices().map(({ type }) => type)
    await expect.poll(types, { timeout: 10_000 }).toEqual(['approval.requested', 'approval.escalated'])
    expect(await app.store.settings.list('notice/')).toHaveLength(1)
    const no = { kind: 'approval', approved: false, binds: pending.binds } as const
    expect(await app.host.tools.answer(ref, no, localUser)).toEqual({ ok: true })
    await expect.poll(() => app.store.settings.list('notice/'), { timeout: 5_000 }).toEqual([])
    expect(hook.received).toHaveLength(2)
  })

  it('R-GOV-46 gets the form of a call that waits for values, and then its card', async () => {
    await using hook = await openWebhook()
    const amount = Type.Object({ amount: Type.Integer() })
    const profiles = [{ name: 'team', zone: 'local', approvals: { notify: { webhook: hook.url, ...own } } }] as const
    await using app = await hostWith([writingTool('write', [], { asksPerson: amount })], { profiles })
    const waiting = await app.host.tools.call('app__write', { text: 'rent' }, asClient)
    if (waiting.status !== 'waiting') throw new TypeError(waiting.status)
    await expect.poll(() => hook.received.length, { timeout: 5_000 }).toBe(1)
    expect(hook.notices()[0]).toMatchObject({
      type: 'input.requested',
      data: { form: { tool: 'app__write', args: [['text', '"rent"']], asks: ['amount'] } },
    })
    const { binds } = waiting.pending
    await app.host.tools.answer(waiting.pending, { kind: 'input', data: { amount: 5 }, binds }, localUser)
    await app.host.tools.resume(waiting.pending, asClient)
    await expect
      .poll(() => hook.notices().map(({ type }) => type), { timeout: 8_000 })
      .toEqual(['input.requested', 'approval.requested'])
  })

  it('R-SEC-15 on a private address is not reached unless the operator says so', async () => {
    const lines: string[] = []
    const write = (...words: readonly unknown[]) => lines.push(JSON.stringify(words))
    await using hook = await openWebhook()
    const logger: Logger = { debug: write, info: write, warn: write, error: write }
    await using app = await teamHost({ webhook: hook.url }, { logger })
    await waitingFor(app.host, 'a', asClient)
    await expect.poll(() => lines.join('\n'), { timeout: 5_000 }).toContain('a private address')
    expect(hook.received).toEqual([])
  })

  it('R-GOV-46 gets no secret that an argument holds', async () => {
    await using hook = await openWebhook()
    await using app = await teamHost({ webhook: hook.url, ...own })
    const token = `ghp_${'a1B2'.repeat(9)}`
    await waitingFor(app.host, token, asClient)
    await expect.poll(() => hook.received.length, { timeout: 5_000 }).toBe(1)
    expect(hook.received[0]?.body).not.toContain(token)
  })
})

/** A clock that runs faster than the wall's. */
function hurried(times: number) {
  const begun = Date.now()
  return {
    now: () => begun + (Date.now() - begun) * times,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms / times)
        const wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal?.addEventListener('abort', wake, { once: true })
      }),
  }
}
