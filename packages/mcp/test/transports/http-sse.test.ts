import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { failureOf, heldIn, settled, textOf } from '../observe.ts'
import { callBy, hostEnvironment, openProject } from '../open-project.ts'
import { connectTo, inTime } from './connect-to.ts'
import { listen } from './listen-http.ts'

const token = 'TOKEN-canary-1234'

/** The SDK's own server of the older transport: `GET /sse` opens a session, and answers come in it. */
async function listenSse(refused = 404) {
  const sessions = new Map<string, SSEServerTransport>()
  const seen: { readonly method: string; readonly headers: IncomingMessage['headers'] }[] = []
  const streams = new Set<ServerResponse>()
  const http = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, headers })
    if (method === 'GET' && url === '/sse') {
      const transport = new SSEServerTransport('/messages', response)
      sessions.set(transport.sessionId, transport)
      streams.add(response)
      await createTools().connect(transport)
    } else if (method === 'POST' && url.startsWith('/messages')) {
      const id = new URL(url, 'http://localhost').searchParams.get('sessionId') ?? ''
      await (sessions.get(id)?.handlePostMessage(request, response) ?? response.writeHead(404).end())
    } else response.writeHead(refused).end()
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    seen,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    opened: () => streams.size,
    /** Ends every stream, as a server that is restarted. */
    end: () => {
      for (const stream of streams) stream.destroy()
      sessions.clear()
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

function createTools(): Server {
  const server = new Server({ name: 'old', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['hello', 'hang'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name === 'hang') await new Promise(() => {})
    return { content: [{ type: 'text', text: 'hello over sse' }] }
  })
  return server
}

describe('a server of the older transport', () => {
  it.each([
    ['that is declared as one', 404, { transport: 'sse' } as const],
    ['that refuses a POST with 404', 404, {}],
    ['that refuses a POST with 405', 405, {}],
    ['that refuses a POST with 400', 400, {}],
  ])('%s is listed and called, with its token', async (_how, refused, more) => {
    await using project = await openProject()
    await using server = await listenSse(refused)
    const mcp = project.start({ env: { ...hostEnvironment, TOKEN: token } })
    const declared = { url: server.url, auth: { bearer: { env: 'TOKEN' } }, ...more } as const
    const provider = await project.open(mcp, 'web', declared)
    expect(heldIn(await settled(provider))).toEqual({ hello: '', hang: '' })
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over sse')
    expect(server.seen.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true)
    // Where it is declared nothing else is tried.
    expect(server.seen[0]?.method).toBe('transport' in more ? 'GET' : 'POST')
  })

  it('is not looked for where the newer one is declared', async () => {
    await using server = await listenSse()
    expect((await failureOf(connectTo(server.url, { transport: 'http' }))).message).toContain('404')
    expect(server.seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it('whose stream ends during a call fails it at once, and is connected anew for the next', async () => {
    await using project = await openProject()
    await using server = await listenSse()
    const provider = await project.open(project.start(), 'web', { url: server.url, transport: 'sse' })
    await settled(provider)
    const before = server.opened()
    const posts = () => server.seen.filter(({ method }) => method === 'POST').length
    const postsBefore = posts()
    const calling = failureOf(provider.call('hang', {}, callBy('ann', { effect: 'write' })))
    await expect.poll(posts).toBe(postsBefore + 1)
    server.end()
    expect((await calling).code).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over sse')
    expect(server.opened()).toBe(before + 1)
  })
})

describe('an endpoint of the older transport', () => {
  const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

  it('that names another origin for messages is refused, which gets nothing', async () => {
    await using elsewhere = await listen()
    await using server = await listen(undefined, (_request, response) => {
      stream(response).write(`event: endpoint\ndata: ${elsewhere.url}\n\n`)
    })
    const failure = await failureOf(connectTo(server.url, { transport: 'sse', headers: { 'x-api-key': token } }))
    expect(failure.code).toBe('SERVER_PROTOCOL')
    expect(failure.message).toContain(elsewhere.origin)
    expect(elsewhere.seen).toEqual([])
  })

  it('that redirects to another origin is refused, which gets nothing', async () => {
    await using elsewhere = await listen()
    await using server = await listen(undefined, (_request, response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
    })
    const failure = await failureOf(connectTo(server.url, { transport: 'sse', headers: { 'x-api-key': token } }))
    expect(failure.message).toContain(elsewhere.origin)
    expect(elsewhere.seen).toEqual([])
  })

  it('that never names a place for messages is given up in time', async () => {
    await using server = await listen(undefined, (_request, response) => {
      stream(response).write(': wait\n\n')
    })
    const failure = await failureOf(connectTo(server.url, { transport: 'sse', connectTimeoutMs: 200 }))
    expect(failure.code).toBe('SERVER_TIMEOUT')
  })

  it.each<[string, string, string, (response: ServerResponse) => void]>([
    ['refuses the token', 'SERVER_UNAVAILABLE', '401', (response) => response.writeHead(401).end(token)],
    ['fails', 'SERVER_UNAVAILABLE', '500', (response) => response.writeHead(500).end(token)],
    ['is a page', 'SERVER_PROTOCOL', 'text/html', (response) => response.setHeader('content-type', 'text/html').end()],
    ['ends at once', 'SERVER_UNAVAILABLE', 'ended', (response) => stream(response).end()],
    [
      'says too much',
      'SERVER_PROTOCOL',
      'more than 200000 bytes',
      (response) => {
        stream(response).write(`data: "${'y'.repeat(300_000)}`)
      },
    ],
  ])('that %s fails at once, and is not asked again', async (_what, code, text, answer) => {
    await using server = await listen(undefined, (_request, response) => answer(response))
    const startedAt = performance.now()
    const failure = await failureOf(
      connectTo(server.url, { transport: 'sse', headers: { authorization: `Bearer ${token}` } }),
    )
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(text)
    expect(JSON.stringify([failure, failure.message, String(failure.cause)])).not.toContain(token)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(server.seen).toHaveLength(1)
  })

  it('that is none is told as what it said at first', async () => {
    await using server = await listen(
      (_message, response) => response.writeHead(404).end(),
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    )
    const failure = await failureOf(connectTo(server.url))
    expect(failure.message).toContain('HTTP 404')
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it('is not looked for behind one that has begun to speak the newer transport', async () => {
    await using server = await listen(({ method }, response) => {
      if (method === 'notifications/initialized') response.writeHead(400).end()
    })
    expect((await failureOf(connectTo(server.url))).message).toContain('HTTP 400')
    expect(server.seen.some(({ method }) => method === 'GET')).toBe(false)
  })

  it('that refuses a message fails its request', async () => {
    await using server = await listenSse()
    const peer = await connectTo(server.url, { transport: 'sse' })
    server.end()
    const failure = await failureOf(peer.request('tools/list', {}, inTime))
    expect(failure.code).toBe('SERVER_UNAVAILABLE')
  })
})
