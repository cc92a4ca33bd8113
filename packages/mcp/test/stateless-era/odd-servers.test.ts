import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { failureOf, until } from '../observe.ts'
import { endWith, listenRaw } from './listen-raw.ts'
import { ask, callTool, openServer, textIn } from './open-stateless.ts'

describe('a server of 2026-07-28 that is not as it should be', () => {
  it('may answer and list what no schema knows: that costs neither the result nor the list', async () => {
    await using server = await openServer('stdio', { name: 'stateless-raw' })
    const peer = await server.connect()
    expect(peer.server).toEqual({ name: '', version: '', capabilities: { tools: {} } })
    expect(await callTool(peer, 'odd')).toEqual({
      ok: true,
      result: { content: [{ type: 'hologram', depth: 3 }], structuredContent: { a: [1] }, _meta: { 'x.example/a': 1 } },
    })
    const listed = await ask(peer, 'tools/list')
    expect(listed.ok && listed.result.tools).toHaveLength(3)
  })

  it('fails the request at once with an answer that is none, and goes on', async () => {
    await using server = await openServer('stdio', { name: 'stateless-raw' })
    const peer = await server.connect()
    const none = await failureOf(callTool(peer, 'noResult'))
    expect(none).toMatchObject({ code: 'SERVER_PROTOCOL', data: { sent: true } })
    const unknown = await failureOf(callTool(peer, 'unknownType'))
    expect(unknown).toMatchObject({ code: 'SERVER_PROTOCOL', data: { sent: true } })
    expect(textIn(await callTool(peer, 'noType'))).toBe('no type')
    expect(textIn(await callTool(peer, 'twice'))).toBe('first')
    expect(textIn(await callTool(peer, 'again'))).toBe('again')
  })

  it('is not answered when it asks by a request of its own', async () => {
    await using server = await openServer('stdio', { name: 'stateless-raw' })
    const peer = await server.connect({ clientCapabilities: { roots: {} } })
    const onServerRequest = () => expect.fail('it was asked')
    expect(textIn(await callTool(peer, 'pushes', {}, { onServerRequest }))).toBe('pushed')
  })

  it('refuses a subscription that the server does not know', async () => {
    await using server = await openServer('stdio', { name: 'stateless-raw' })
    const peer = await server.connect()
    const answer = await ask(peer, 'resources/subscribe', { uri: 'memo://one' })
    expect(answer).toMatchObject({ ok: false, error: { code: -32_601 } })
    expect(await ask(peer, 'resources/subscribe')).toMatchObject({ ok: false, error: { code: -32_602 } })
  })
})

/** A server over HTTP that answers calls in a way of its own. */
function listenOddly(call: (name: string, response: ServerResponse, answer: string) => void) {
  const results: Readonly<Record<string, unknown>> = {
    'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'called' }] },
  }
  return listenRaw(({ id, method, params }, response) => {
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })
    if (method === 'tools/call') call(params?.name ?? '', response, answer)
    else endWith(response, 200, answer)
  })
}

describe('a server of 2026-07-28 over HTTP', () => {
  const ways: Readonly<Record<string, (response: ServerResponse) => void>> = {
    html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>canary</p>'),
    empty: (response) => endWith(response, 200, ''),
    other: (response) => endWith(response, 200, '{"canary":1}'),
    cut: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
    long: (response) => endWith(response, 200, `{"canary":"${'x'.repeat(1_100_000)}"}`),
    refused: (response) => endWith(response, 409, '{"canary":1}'),
    refusedLong: (response) => endWith(response, 400, `{"canary":"${'x'.repeat(100_000)}"}`),
    broken: (response) => endWith(response, 500, '{"canary":1}'),
    gone: (response) => response.destroy(),
  }

  it.each([
    ['html', 'SERVER_PROTOCOL', true],
    ['empty', 'SERVER_PROTOCOL', true],
    ['other', 'SERVER_PROTOCOL', true],
    ['cut', 'SERVER_UNAVAILABLE', true],
    ['long', 'SERVER_PROTOCOL', true],
    ['refused', 'SERVER_UNAVAILABLE', false],
    ['refusedLong', 'SERVER_UNAVAILABLE', false],
    ['broken', 'SERVER_UNAVAILABLE', true],
    ['gone', 'SERVER_UNAVAILABLE', true],
  ])('fails a call at once that it answers like this: %s', async (name, code, sent) => {
    await using endpoint = await listenOddly((way, response) => ways[way]?.(response))
    await using server = await openServer('http', { url: endpoint.url })
    const failure = await failureOf(callTool(await server.connect(), name))
    expect(failure).toMatchObject({ code, data: { sent } })
    expect(failure.message).not.toContain('canary')
  })

  it('is not listened to any longer than its answer takes', async () => {
    let isLeftOpen = false
    await using endpoint = await listenOddly((_name, response, answer) => {
      isLeftOpen = true
      response.on('close', () => {
        isLeftOpen = false
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${answer}\n\n`)
    })
    await using server = await openServer('http', { url: endpoint.url })
    expect(textIn(await callTool(await server.connect(), 'any'))).toBe('called')
    await until(() => !isLeftOpen)
  })

  it('says why it refuses a request in the answer to it', async () => {
    await using endpoint = await listenOddly((_name, response) =>
      endWith(response, 404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"No.","data":[1]}}'),
    )
    await using server = await openServer('http', { url: endpoint.url })
    expect(await callTool(await server.connect(), 'any')).toEqual({
      ok: false,
      error: { code: -32_601, message: 'No.', data: [1] },
    })
  })
})
