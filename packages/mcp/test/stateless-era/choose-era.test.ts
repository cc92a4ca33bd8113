import { describe, expect, it } from 'vitest'
import { failureOf } from '../observe.ts'
import { endWith, listenRaw } from './listen-raw.ts'
import { ask, callTool, openServer, textIn } from './open-stateless.ts'

describe.each(['stdio', 'http'] as const)('a server over %s', (kind) => {
  it('of both eras is spoken to as it was pinned; auto takes the newer one', async () => {
    await using server = await openServer(kind)
    for (const [protocol, era] of [
      ['auto', 'stateless'],
      ['stateless', 'stateless'],
      ['session', 'session'],
    ] as const) {
      const peer = await server.connect({ protocol })
      expect(peer.era).toBe(era)
      expect(textIn(await callTool(peer, 'echo', { a: 1 }))).toBe('{"a":1}')
    }
  })

  it('of the newer era alone is not spoken to in the older one', async () => {
    await using server = await openServer(kind, { env: { LEGACY: 'reject' } })
    expect((await server.connect({ protocol: 'auto' })).era).toBe('stateless')
    const { code } = await failureOf(server.connect({ protocol: 'session' }))
    expect(['SERVER_PROTOCOL', 'SERVER_UNAVAILABLE']).toContain(code)
  })
})

describe('a server of the older era', () => {
  it('is started anew after it was asked, so that the question can not confuse it', async () => {
    await using server = await openServer('stdio', { name: 'asking-server' })
    const peer = await server.connect({ protocol: 'auto' })
    expect(peer.era).toBe('session')
    expect(await ask(peer, 'tools/list')).toMatchObject({ ok: true })
    expect((await server.log()).filter((line) => line === 'started')).toHaveLength(2)
  })

  it('is not asked when it is pinned', async () => {
    await using server = await openServer('stdio', { name: 'asking-server' })
    expect((await server.connect({ protocol: 'session' })).era).toBe('session')
    expect((await server.log()).filter((line) => line === 'started')).toHaveLength(1)
  })

  it.each(['silent', 'leaves'])(
    'is found out by auto when it is like this before it is initialised: %s',
    async (WAY) => {
      await using server = await openServer('stdio', { name: 'silent-before-initialize', env: { WAY } })
      const peer = await server.connect({ protocol: 'auto', connectTimeoutMs: 8_000 })
      expect(peer.era).toBe('session')
      expect(textIn(await callTool(peer, 'hello'))).toBe('hello')
    },
  )

  it('is refused where the newer one is forced, with what to do', async () => {
    await using server = await openServer('stdio', { name: 'asking-server' })
    const failure = await failureOf(server.connect({ protocol: 'stateless' }))
    expect(failure).toMatchObject({
      code: 'SERVER_PROTOCOL',
      hint: expect.stringContaining('providers.fixture.protocol'),
    })
    expect(failure.message).toContain('2026-07-28')
  })

  it('is told apart by the revisions that it names', async () => {
    await using server = await openServer('stdio', {
      name: 'stateless-raw',
      env: { VERSIONS: '2027-01-01 2028-01-01' },
    })
    const failure = await failureOf(server.connect({ protocol: 'stateless' }))
    expect(failure.message).toContain('it speaks 2027-01-01, 2028-01-01')
    expect((await server.connect({ protocol: 'auto' })).era).toBe('session')
  })

  it('that leaves at once is not started for ever', async () => {
    await using server = await openServer('stdio', { name: 'exits' })
    expect(await failureOf(server.connect({ protocol: 'auto' }))).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(await failureOf(server.connect({ protocol: 'stateless' }))).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
  })

  it('that never answers is given up in time, whichever era was wanted', async () => {
    await using server = await openServer('stdio', { name: 'silent-before-initialize', env: { WAY: 'never' } })
    for (const protocol of ['auto', 'stateless'] as const) {
      expect(await failureOf(server.connect({ protocol, connectTimeoutMs: 600 }))).toMatchObject({
        code: 'SERVER_TIMEOUT',
        message: expect.stringContaining('600 ms'),
      })
    }
    expect(await failureOf(server.connect({ signal: AbortSignal.abort() }))).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
    })
  })
})

type Answer = { readonly status: number; readonly body: string }

const refusing = (status: number, body: string) => listenRaw((_message, response) => endWith(response, status, body))

/** An older server over HTTP, that has its own way with a question it does not know. */
function olderServer(unknown: Answer) {
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'older', version: '1.0.0' },
    },
    'tools/call': { content: [{ type: 'text', text: 'hello' }] },
  }
  return listenRaw(({ id, method }, response) => {
    if (id === undefined) return endWith(response, 202, '')
    if (method === 'server/discover') return endWith(response, unknown.status, unknown.body)
    endWith(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  })
}

describe('an address', () => {
  it.each([
    [200, '{"jsonrpc":"2.0","id":"rollcall:discover","error":{"code":-32601,"message":"unknown method"}}'],
    [200, '{"jsonrpc":"2.0","id":"rollcall:discover","result":{}}'],
    [200, '{"something":"else"}'],
    [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}'],
    [404, 'Not found'],
    [405, ''],
  ])('of an older server that answers the question with %i %s is found out by auto', async (status, body) => {
    await using endpoint = await olderServer({ status, body })
    await using server = await openServer('http', { url: endpoint.url })
    const peer = await server.connect({ protocol: 'auto' })
    expect(peer).toMatchObject({ era: 'session', server: { name: 'older' } })
    expect(textIn(await callTool(peer, 'hello'))).toBe('hello')
  })

  it.each([401, 403, 429, 503])(
    'that answers with %i is not asked in the other era, nor is the answer shown',
    async (status) => {
      await using endpoint = await refusing(status, '{"error":"canary"}')
      await using server = await openServer('http', { url: endpoint.url })
      const failure = await failureOf(server.connect({ protocol: 'auto' }))
      expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { status } })
      expect(JSON.stringify({ ...failure, message: failure.message })).not.toContain('canary')
    },
  )

  it('that refuses the question is asked in the other era', async () => {
    await using endpoint = await refusing(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"canary"}}')
    await using server = await openServer('http', { url: endpoint.url })
    const failure = await failureOf(server.connect({ protocol: 'stateless' }))
    expect(failure).toMatchObject({ code: 'SERVER_PROTOCOL' })
    expect(failure.message).toContain('-32000')
    expect(await failureOf(server.connect({ protocol: 'auto' }))).toMatchObject({ data: { status: 400 } })
  })

  it('behind which nobody is has no era', async () => {
    const endpoint = await refusing(200, '')
    await endpoint[Symbol.asyncDispose]()
    await using server = await openServer('http', { url: endpoint.url })
    const failure = await failureOf(server.connect({ protocol: 'auto' }))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: false } })
  })
})
