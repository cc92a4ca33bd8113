import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerDeclaration } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { failureOf, heldIn, list, settled, textOf } from '../observe.ts'
import { callBy, hostEnvironment, openProject, type Project } from '../open-project.ts'

type Message = { readonly id?: number; readonly method?: string; readonly params?: { readonly name?: string } }
type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void

const token = 'TOKEN-canary-1234'
const json = (response: ServerResponse, id: number | undefined, result: unknown) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))

/** An MCP server over HTTP; `answer` may take over any message by ending the response. */
async function listen(answer: Answer = () => {}) {
  const seen: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }[] = []
  const server = createServer(async (request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
    if (request.method !== 'POST') return response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const message: Message = JSON.parse(Buffer.concat(chunks).toString())
    answer(message, response, request)
    if (response.writableEnded || response.headersSent) return
    if (message.id === undefined) return response.writeHead(202).end()
    const serverInfo = { name: 'http', version: '1.0.0' }
    const results: Record<string, unknown> = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: ['hello', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
      'tools/call': { content: [{ type: 'text', text: `${message.params?.name} over http` }] },
    }
    json(response, message.id, results[message.method ?? ''] ?? {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    seen,
    origin,
    url: `${origin}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

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

  it.each([
    'http://169.254.169.254/latest',
    'http://0xa9fea9fe/latest',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://100.100.100.200/',
    'http://user:pass@127.0.0.1/',
    'ftp://127.0.0.1/',
  ])('R-SEC-15 %s is not contacted, whoever declared it', async (url) => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url })
    expect((await failureOf(settled(provider))).code).toBe('LAUNCH_REFUSED')
  })

  it.each(['http://localhost:1/', 'http://127.1:1/', 'http://[::1]:1/', 'http://10.0.0.1/', 'http://[fd00::1]/'])(
    'R-SEC-15 %s is not contacted for an announced server',
    async (url) => {
      await using project = await openProject()
      const provider = await project.open(project.start(), 'web', { url }, announced)
      const failure = await failureOf(settled(provider))
      expect(failure.code).toBe('LAUNCH_REFUSED')
      expect(failure.message).toContain('private address')
    },
  )

  it('that is no address at all is named', async () => {
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: 'not an address' })
    expect((await failureOf(settled(provider))).code).toBe('PROVIDER_INVALID')
    expect((await failureOf(list(provider))).code).toBe('PROVIDER_INVALID')
  })
})
