import type { ServerResponse } from 'node:http'
import { isRollcallError, type ServerDeclaration } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { privateSpellings, refusedSpellings } from '../../../host/test/outbound/address-spellings.ts'
import { failureOf, heldIn, list, settled, textOf } from '../observe.ts'
import { callBy, hostEnvironment, openProject, type Project } from '../open-project.ts'
import { connectTo, inTime } from './connect-to.ts'
import { listen } from './listen-http.ts'

const token = 'TOKEN-canary-1234'
function open(project: Project, server: ServerDeclaration, options: object = {}) {
  const env = { ...hostEnvironment, TOKEN: token }
  return project.open(project.start({ env, ...options }), 'web', server)
}

describe('a server over HTTP', () => {
  it('is listed and called, with its token and headers, and its token is in no file', async () => {
    await using project = await openProject()
    await using server = await listen()
    const provider = await open(project, {
      url: server.url,
      auth: { bearer: { env: 'TOKEN' } },
      headers: { 'x-team': 'blue' },
    })
    const listing = await settled(provider)
    expect(heldIn(listing)).toEqual({ hello: '', other: '' })
    expect(listing.detail).toBe('mcp, http, running')
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
    expect(server.seen.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true)
    expect(server.seen.every(({ headers }) => headers['x-team'] === 'blue')).toBe(true)
    expect(JSON.stringify([listing, await project.settings.list('')])).not.toContain(token)
  })

  it.each([401, 403])('that answers %i fails fast, without the token and without its echo', async (status) => {
    await using project = await openProject()
    await using server = await listen((_message, response, request) => {
      response.writeHead(status, { 'www-authenticate': `Bearer error="${request.headers.authorization}"` })
      response.end(`refused ${request.headers.authorization}`)
    })
    const provider = await open(project, { url: server.url, auth: { bearer: { env: 'TOKEN' } } })
    const failure = await failureOf(settled(provider))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
    expect(failure.message).toContain(String(status))
    expect(JSON.stringify([failure, failure.message, String(failure.cause)])).not.toContain(token)
    expect(server.seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it('R-SEC-16 that redirects elsewhere is refused, and the other origin gets nothing', async () => {
    await using project = await openProject()
    await using elsewhere = await listen()
    await using server = await listen((_message, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    )
    const provider = await open(project, {
      url: server.url,
      auth: { bearer: { env: 'TOKEN' } },
      headers: { 'x-api-key': token },
    })
    const failure = await failureOf(settled(provider))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
    expect(failure.message).toContain(elsewhere.origin)
    expect(elsewhere.seen).toEqual([])
  })

  it('that redirects within its origin is followed', async () => {
    await using project = await openProject()
    await using server = await listen((_message, response, request) => {
      if (request.url === '/mcp') response.writeHead(307, { location: '/real' }).end()
    })
    const provider = await open(project, { url: server.url, auth: { bearer: { env: 'TOKEN' } } })
    await settled(provider)
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
  })

  it.each([
    [
      'HTML',
      'SERVER_PROTOCOL',
      (response: ServerResponse) => response.setHeader('content-type', 'text/html').end('<p>'),
    ],
    ['nothing', 'SERVER_PROTOCOL', (response: ServerResponse) => response.writeHead(200).end()],
    [
      'half JSON',
      'SERVER_PROTOCOL',
      (response: ServerResponse) => response.setHeader('content-type', 'application/json').end('{"jsonrpc":'),
    ],
    ['a fault', 'TOOL_OUTCOME_UNKNOWN', (response: ServerResponse) => response.writeHead(500).end('boom')],
    ['no session', 'SERVER_UNAVAILABLE', (response: ServerResponse) => response.writeHead(404).end()],
    [
      'a cut stream',
      'TOOL_OUTCOME_UNKNOWN',
      (response: ServerResponse) => response.setHeader('content-type', 'text/event-stream').end('data: {"jso'),
    ],
    ['a reset', 'TOOL_OUTCOME_UNKNOWN', (response: ServerResponse) => response.socket?.destroy()],
    [
      'too much',
      'SERVER_PROTOCOL',
      (response: ServerResponse) =>
        response.setHeader('content-type', 'application/json').end(`{"x":"${'y'.repeat(300_000)}"}`),
    ],
  ] as const)('that answers a call with %s fails at once, and the next call is served', async (_what, code, answer) => {
    await using project = await openProject()
    let isBroken = true
    await using server = await listen((message, response) => {
      if (message.method !== 'tools/call' || !isBroken) return
      isBroken = false
      answer(response)
      if (!response.headersSent) response.end()
    })
    const provider = await open(project, { url: server.url }, { limits: { resultBytes: 200_000, listBytes: 200_000 } })
    await settled(provider)
    const startedAt = performance.now()
    expect((await failureOf(provider.call('hello', {}, callBy()))).code).toBe(code)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
  })

  it('may answer with a stream of events', async () => {
    await using project = await openProject()
    await using server = await listen((message, response) => {
      if (message.method !== 'tools/call') return
      const result = { content: [{ type: 'text', text: 'streamed' }] }
      response.setHeader('content-type', 'text/event-stream')
      response.end(`event: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\r\n\r\n`)
    })
    const provider = await open(project, { url: server.url })
    await settled(provider)
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('streamed')
  })

  it('that nobody listens for was not reached', async () => {
    await using project = await openProject()
    const server = await listen()
    await server[Symbol.asyncDispose]()
    const failure = await failureOf(settled(await open(project, { url: server.url })))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
    expect(failure.message).toContain('ECONNREFUSED')
  })
})

describe('addresses', () => {
  const announced = { source: 'announced', plugin: 'acme' } as const

  // What is no address is found before anybody is asked to go there.
  const readable = refusedSpellings.filter(([, url]) => URL.canParse(url))

  it.each(
    readable.flatMap(([how, url]) => [
      [how, 'streamable HTTP', { url }] as const,
      [how, 'SSE', { url, transport: 'sse' }] as const,
    ]),
  )('R-SEC-15 one %s is not contacted over %s, whoever declared it', async (_how, _over, server) => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', server)
    expect((await failureOf(settled(provider))).code).toBe('ADDRESS_REFUSED')
  })

  it.each(privateSpellings)('R-SEC-15 %s is not contacted for an announced server', async (_how, at) => {
    await using server = await listen()
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: at(server.port) }, announced)
    const failure = await failureOf(settled(provider))
    expect(failure.code).toBe('ADDRESS_REFUSED')
    expect(failure.message).toContain('private address')
    expect(server.seen).toEqual([])
  })

  it.each([
    ['an announced server may by the word of the operator', announced, true, 'http, running'],
    ["the operator's own may not if that is said", {}, false, 'ADDRESS_REFUSED'],
  ])('R-SEC-15 that are private: %s', async (_what, source, allowPrivateNetwork, expected) => {
    await using server = await listen()
    await using project = await openProject()
    const claim = { ...source, words: { allowPrivateNetwork } }
    const provider = await project.open(project.start(), 'web', { url: server.url }, claim)
    const said = await settled(provider).then(
      ({ detail }) => detail,
      (error: unknown) => (isRollcallError(error) ? error.code : ''),
    )
    expect(said).toContain(expected)
    expect(server.seen.length > 0).toBe(allowPrivateNetwork)
  })

  it('R-SEC-15 whose name means another one later are refused then, with everything that was open', async () => {
    await using server = await listen((_message, response) => {
      response.setHeader('connection', 'close')
    })
    let address = '127.0.0.1'
    const resolve = async () => [{ address, family: 4 }]
    const peer = await connectTo(`http://rebinding.test:${server.port}/mcp`, { resolve })
    expect(await peer.request('tools/list', {}, inTime)).toMatchObject({ ok: true })
    address = '169.254.169.254'
    const failure = await failureOf(peer.request('tools/list', {}, inTime))
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', data: { sent: false } })
  })

  it('that is no address at all is named', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: 'not an address' })
    expect((await failureOf(settled(provider))).code).toBe('PROVIDER_INVALID')
    expect((await failureOf(list(provider))).code).toBe('PROVIDER_INVALID')
  })
})
