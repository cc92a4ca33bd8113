import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { type CallOptions, localClient, type Profile } from '@rollcall/host'
import { afterEach, describe, expect, it } from 'vitest'
import { createFace } from '../../src/serve/create-face.ts'
import { createKeylessAuthenticate } from '../../src/serve/keyless.ts'
import { type Listening, listen } from './listen.ts'
import { createStubHost, denied, ok, type StubHost, type StubTool, waiting } from './stub-host.ts'
import { until } from './until.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

type FaceOptions = Parameters<typeof createFace>[1]

async function serving(
  tools: readonly StubTool[],
  options: Partial<FaceOptions> & { hostProfiles?: readonly Profile[]; keyless?: readonly string[] } = {},
): Promise<StubHost & Listening> {
  const { hostProfiles = [], keyless = [], ...faceOptions } = options
  const stub = createStubHost(tools, hostProfiles)
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: keyless, principal: localClient })
  const listening = await listen(createFace(stub.host, { profiles: [], authenticate, ...faceOptions }))
  open.push(listening)
  return { ...stub, ...listening }
}

async function connected({ origin }: Listening, path = '/mcp') {
  const client = new Client({ name: 'tester', version: '1' })
  let hasStream = false
  const transport = new StreamableHTTPClientTransport(new URL(origin + path), {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'GET' && response.ok) hasStream = true
      return response
    },
  })
  await client.connect(transport)
  open.push({ [Symbol.asyncDispose]: () => client.close() })
  return { client, transport, hasStream: () => hasStream }
}

function post({ origin }: Listening, body: unknown, headers: Record<string, string> = {}, path = '/mcp') {
  return fetch(origin + path, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const callOf = (name: string, id: number, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...(meta && { _meta: meta }) },
})

async function rawSession(server: Listening, headers: Record<string, string> = {}, path = '/mcp'): Promise<string> {
  const response = await post(server, initialize, headers, path)
  expect(response.status).toBe(200)
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

/** A tool that runs until its call is aborted. */
function endless(): StubTool & { readonly calls: CallOptions[] } {
  const calls: CallOptions[] = []
  return {
    name: 'notes__endless',
    calls,
    run(_, options) {
      calls.push(options)
      return new Promise((resolve) => {
        options.signal?.addEventListener('abort', () =>
          resolve({ status: 'cancelled', callId: 'c', text: 'cancelled', durationMs: 1 }),
        )
      })
    },
  }
}

describe('tools over HTTP', () => {
  it('lists what the profile may see, in the order of the host, and says how many are hidden', async () => {
    const server = await serving([
      { name: 'notes__zeta', definition: { title: 'Z', inputSchema: { type: 'object', 'x-own': [1] } } },
      { name: 'notes__alpha' },
      { name: 'notes__secret', visible: () => false },
    ])
    const { client } = await connected(server)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(['notes__zeta', 'notes__alpha'])
    expect(tools[0]).toMatchObject({ title: 'Z', inputSchema: { type: 'object', 'x-own': [1] } })
    expect(client.getServerVersion()).toMatchObject({ name: 'rollcall' })
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
    })
    expect(client.getInstructions()).toMatch(/1 tool is hidden from the profile default\..*rollcall why <tool>/)
    await expect(client.listTools({ cursor: 'anything' })).rejects.toMatchObject({ code: -32602 })
  })

  it('lists what there is now, in a session that began before', async () => {
    const server = await serving([{ name: 'notes__a' }])
    const { client } = await connected(server)
    await client.listTools()
    server.change([{ name: 'notes__b' }])
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['notes__b'])
  })

  it('calls a tool for the principal and profile of the session, and gives the whole result', async () => {
    const content = [
      { type: 'text', text: 'hello' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'demo://1', text: 'body' } },
      { type: 'resource_link', uri: 'demo://2', name: 'two' },
    ] as const
    const server = await serving([
      { name: 'notes__get', run: (args) => ok({ content, structured: { args }, meta: { 'example.org/x': 1 } }) },
    ])
    const { client, transport } = await connected(server)
    const result = await client.callTool({
      name: 'notes__get',
      arguments: { q: 1 },
      _meta: { 'rollcall/callId': 'forged' },
    })
    expect(result).toEqual({
      content,
      structuredContent: { args: { q: 1 } },
      _meta: { 'example.org/x': 1, 'rollcall/callId': 'call-1' },
    })
    const options = server.lastCall()
    expect(options).toMatchObject({ principal: localClient, profile: 'default', client: { name: 'tester' } })
    expect(options).not.toHaveProperty('onProgress')
    expect(JSON.stringify(options)).not.toContain(transport.sessionId ?? '-')
    expect(JSON.stringify(options)).not.toContain('forged')
  })

  it('passes progress to a caller that asked for it, before the result', async () => {
    const run: StubTool['run'] = (_, options) => {
      options.onProgress?.({ done: 1, total: 3, message: 'reading\u001b[2J' })
      options.onProgress?.({ done: 2, total: 3 })
      return ok({ content: [] })
    }
    const { client } = await connected(await serving([{ name: 'notes__slow', run }]))
    const seen: unknown[] = []
    await client.callTool({ name: 'notes__slow' }, CallToolResultSchema, {
      onprogress: (progress) => seen.push(progress),
    })
    expect(seen).toMatchObject([
      { progress: 1, total: 3 },
      { progress: 2, total: 3 },
    ])
  })

  it('aborts the call that a client cancels, ends its answer, and serves the session on', async () => {
    const tool = endless()
    const server = await serving([tool, { name: 'notes__quick' }])
    const { client } = await connected(server)
    const cancel = new AbortController()
    const call = client.callTool({ name: tool.name }, CallToolResultSchema, { signal: cancel.signal })
    await until(() => tool.calls.length === 1)
    cancel.abort()
    await expect(call).rejects.toThrow()
    await until(() => tool.calls[0]?.signal?.aborted === true)
    expect(await client.callTool({ name: 'notes__quick' })).toMatchObject({ content: [{ text: 'done' }] })
  })

  it('ends the answer to a cancelled request of id 0 without a response', async () => {
    const tool = endless()
    const server = await serving([tool])
    const session = { 'mcp-session-id': await rawSession(server) }
    const answer = post(server, callOf(tool.name, 0), session)
    await until(() => tool.calls.length === 1)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }
    expect((await post(server, cancelled, session)).status).toBe(202)
    const response = await answer
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(tool.calls[0]?.signal?.aborted).toBe(true)
  })

  it('aborts the calls of a client that vanishes', async () => {
    const tool = endless()
    const server = await serving([tool], { limits: { resumeMs: 20 } })
    const session = { 'mcp-session-id': await rawSession(server) }
    const leave = new AbortController()
    const call = (body: unknown) =>
      fetch(`${server.origin}/mcp`, {
        method: 'POST',
        signal: leave.signal,
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...session },
        body: JSON.stringify(body),
      }).catch(() => {})
    void call(callOf(tool.name, 1))
    await until(() => tool.calls.length === 1)
    void call(callOf(tool.name, 2, { progressToken: 'p' }))
    await until(() => tool.calls.length === 2)
    tool.calls[1]?.onProgress?.({ done: 1 })
    leave.abort()
    await until(() => tool.calls.every((options) => options.signal?.aborted))
  })

  it('aborts the calls of a session that is deleted', async () => {
    const tool = endless()
    const server = await serving([tool])
    const { client, transport } = await connected(server)
    const call = client.callTool({ name: tool.name }).catch((error: unknown) => error)
    await until(() => tool.calls.length === 1)
    await transport.terminateSession()
    await until(() => tool.calls[0]?.signal?.aborted === true)
    await client.close()
    expect(await call).toBeInstanceOf(Error)
  })
})

describe('what a client may not know', () => {
  it('gives one answer for unknown, gone, forbidden and held tools, whatever the arguments', async () => {
    const server = await serving([
      { name: 'notes__gone', visible: () => false, run: () => denied('TOOL_GONE', 'It was in generation 3.') },
      { name: 'notes__held', visible: () => false, run: () => denied('TOOL_HELD', 'Held: drift.') },
      { name: 'notes__nope', visible: () => false },
      {
        name: 'notes__args',
        visible: () => false,
        run: () => ({
          status: 'failed',
          code: 'TOOL_ARGUMENTS_INVALID',
          callId: 'c',
          text: 'q must be a string',
          durationMs: 1,
          content: [],
        }),
      },
    ])
    const session = { 'mcp-session-id': await rawSession(server) }
    for (const name of ['notes__void', 'notes__gone', 'notes__held', 'notes__nope', 'notes__args']) {
      const response = await post(server, callOf(name, 5), session)
      expect([response.status, await response.json()]).toEqual([
        200,
        { jsonrpc: '2.0', id: 5, error: { code: -32602, message: `Unknown tool: ${name}` } },
      ])
    }
  })

  it('R-SEC-29 cuts an unknown name and keeps it on one line', async () => {
    const server = await serving([])
    const session = { 'mcp-session-id': await rawSession(server) }
    const response = await post(server, callOf(`x\r\n${'y'.repeat(500)}`, 5), session)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toMatch(/^Unknown tool: x\\u\{000D\}\\u\{000A\}y+$/)
    expect(error.message.length).toBeLessThanOrEqual('Unknown tool: '.length + 100)
  })

  it('tells nothing about a fault of its own', async () => {
    const server = await serving([
      {
        name: 'notes__broken',
        run: () => {
          throw new TypeError('password is hunter2')
        },
      },
    ])
    const { client } = await connected(server)
    await expect(client.callTool({ name: 'notes__broken' })).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining('hunter2'),
    })
  })

  it('serves no method that it does not announce', async () => {
    const server = await serving([])
    const session = { 'mcp-session-id': await rawSession(server) }
    for (const method of ['tasks/list', 'server/discover', 'rollcall/approve']) {
      const response = await post(server, { jsonrpc: '2.0', id: 1, method, params: {} }, session)
      expect(await response.json()).toMatchObject({ error: { code: -32601 } })
    }
    const ping = await post(server, { jsonrpc: '2.0', id: 'p', method: 'ping' }, session)
    expect(await ping.json()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
  })
})

describe('calls that wait for a person', () => {
  const profile: Profile = { name: 'default', zone: 'externalGlobal', approvals: { waitMs: 77 } }

  it('gives the result of a call that is approved in time, and says that it waits', async () => {
    const decided = Promise.withResolvers<void>()
    let waits: unknown
    const server = await serving(
      [
        {
          name: 'notes__delete',
          run: () => waiting('notes__delete'),
          async wait(call, options) {
            waits = { call, timeoutMs: options.timeoutMs }
            await decided.promise
            options.onProgress?.({ done: 1, total: 1 })
            return ok({ content: [{ type: 'text', text: 'deleted' }] })
          },
        },
      ],
      { hostProfiles: [profile] },
    )
    const { client } = await connected(server)
    const seen: { progress: number; message?: string | undefined }[] = []
    const call = client.callTool({ name: 'notes__delete' }, CallToolResultSchema, {
      onprogress: (progress) => seen.push(progress),
    })
    await until(() => seen.length === 1)
    expect(seen[0]).toMatchObject({ message: 'waiting for a person' })
    decided.resolve()
    expect(await call).toMatchObject({ content: [{ text: 'deleted' }] })
    expect(seen.map(({ progress }) => progress)).toEqual([1, 2])
    expect(waits).toEqual({ call: { stream: 'call/secret-call-id', callId: 'secret-call-id' }, timeoutMs: 77 })
  })

  it('gives a pending result without id or command when nobody decided', async () => {
    const server = await serving([
      { name: 'notes__delete', run: () => waiting('notes__delete'), wait: async () => waiting('notes__delete') },
    ])
    const { client } = await connected(server)
    const result = await client.callTool({ name: 'notes__delete' })
    expect(result).toMatchObject({ isError: true, _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    expect(JSON.stringify(result)).not.toMatch(/secret-call-id|approve/)
  })

  it('ends the wait of a client that cancels', async () => {
    let signal: AbortSignal | undefined
    const server = await serving([
      {
        name: 'notes__delete',
        run: () => waiting('notes__delete'),
        wait: (_, options) => {
          signal = options.signal
          return new Promise((resolve) => {
            options.signal?.addEventListener('abort', () => resolve(waiting('notes__delete')))
          })
        },
      },
    ])
    const { client } = await connected(server)
    const cancel = new AbortController()
    const call = client.callTool({ name: 'notes__delete' }, CallToolResultSchema, { signal: cancel.signal })
    await until(() => signal !== undefined)
    cancel.abort()
    await expect(call).rejects.toThrow()
    await until(() => signal?.aborted === true)
  })
})

describe('changes of the list', () => {
  it('tells the sessions whose own list changed, once, and no other', async () => {
    const profiles: Profile[] = [{ name: 'work', zone: 'local' }]
    const server = await serving([{ name: 'notes__a' }], {
      hostProfiles: profiles,
      profiles: ['work'],
      keyless: ['work'],
    })
    const told: string[] = []
    const sessions = { work: await connected(server, '/mcp/work'), plain: await connected(server) }
    for (const [name, { client }] of Object.entries(sessions)) {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push(name))
    }
    await until(() => sessions.work.hasStream() && sessions.plain.hasStream())

    const forWork: StubTool = { name: 'notes__b', visible: (who) => who.profile === 'work' }
    server.change([{ name: 'notes__a' }, forWork])
    server.change([{ name: 'notes__a' }, forWork])
    await until(() => told.length > 0)
    expect(told).toEqual(['work'])
    server.change([{ name: 'notes__c' }])
    await until(() => told.length === 3)
    expect(told.slice(1).sort()).toEqual(['plain', 'work'])
  })

  it('tells nobody when the new catalogue looks the same', async () => {
    const server = await serving([{ name: 'notes__a' }])
    const { client, hasStream } = await connected(server)
    const told: number[] = []
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push(1))
    await until(hasStream)
    const listed = server.lists()
    server.change([{ name: 'notes__a' }])
    await until(() => server.lists() > listed)
    server.change([{ name: 'notes__b' }])
    await until(() => told.length > 0)
    await client.listTools()
    expect(told).toHaveLength(1)
  })
})

describe('sessions', () => {
  it('gives 404 for a session that it does not know, as after a restart, so that clients initialise again', async () => {
    const first = await serving([])
    const session = await rawSession(first)
    const second = await serving([])
    const response = await post(second, callOf('notes__a', 1), { 'mcp-session-id': session })
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: -32001 } }])
    expect(await rawSession(second)).not.toBe(session)
  })

  it('belongs to its principal and its profile: to anybody else it does not exist', async () => {
    const server = await serving([], {
      profiles: ['work'],
      hostProfiles: [{ name: 'work', zone: 'local' }],
      authenticate: async ({ headers }) => ({ principal: { ...localClient, id: headers.get('x-user') ?? 'nobody' } }),
    })
    const session = await rawSession(server, { 'x-user': 'ann' })
    const status = async (user: string, path: string, id = session) =>
      (await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'x-user': user, 'mcp-session-id': id }, path))
        .status
    expect(await status('ann', '/mcp')).toBe(200)
    expect(await status('ann', '/mcp/default')).toBe(200)
    expect(await status('bob', '/mcp')).toBe(404)
    expect(await status('ann', '/mcp/work')).toBe(404)
    expect(await status('ann', '/mcp', 'made-up')).toBe(404)
  })

  it('R-SEC-21 holds at most so many sessions a principal, and lets others in', async () => {
    const server = await serving([], {
      limits: { sessions: 2 },
      authenticate: async ({ headers }) => ({ principal: { ...localClient, id: headers.get('x-user') ?? 'nobody' } }),
    })
    const ann = { 'x-user': 'ann' }
    const session = await rawSession(server, ann)
    await rawSession(server, ann)
    const refused = await post(server, initialize, ann)
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { data: { code: 'BUSY' } } }])
    await rawSession(server, { 'x-user': 'bob' })
    await fetch(`${server.origin}/mcp`, { method: 'DELETE', headers: { ...ann, 'mcp-session-id': session } })
    await rawSession(server, ann)
  })

  it('R-SEC-21 answers at most so many requests of a principal at a time, and still takes a cancel', async () => {
    const tool = endless()
    const server = await serving([tool], { limits: { openAnswers: 2 } })
    const session = { 'mcp-session-id': await rawSession(server) }
    const answers = [post(server, callOf(tool.name, 1), session), post(server, callOf(tool.name, 2), session)]
    await until(() => tool.calls.length === 2)
    const refused = await post(server, callOf(tool.name, 3), session)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    expect((await post(server, cancel, session)).status).toBe(202)
    await answers[0]
    expect((await post(server, { jsonrpc: '2.0', id: 4, method: 'ping' }, session)).status).toBe(200)
  })

  it('ends sessions that were idle for too long, but none with an open stream', async () => {
    let now = 0
    const server = await serving([], { limits: { idleMs: 1000 }, clock: { now: () => now } })
    const idle = { 'mcp-session-id': await rawSession(server) }
    const busy = { 'mcp-session-id': await rawSession(server) }
    const stream = await fetch(`${server.origin}/mcp`, { headers: { accept: 'text/event-stream', ...busy } })
    now = 999
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(server, ping, idle)).status).toBe(200)
    now = 1999
    expect((await post(server, ping, idle)).status).toBe(404)
    expect((await post(server, ping, busy)).status).toBe(200)
    await stream.body?.cancel()
  })

  it('makes room for a new session by the one that was unused for longest, never by one in use', async () => {
    let now = 0
    const server = await serving([], { limits: { sessions: 2 }, clock: { now: () => now } })
    const used = { 'mcp-session-id': await rawSession(server) }
    const stream = await fetch(`${server.origin}/mcp`, { headers: { accept: 'text/event-stream', ...used } })
    const left = { 'mcp-session-id': await rawSession(server) }
    now = 999
    expect((await post(server, initialize)).status).toBe(429)
    now = 1_000
    await rawSession(server)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(server, ping, left)).status).toBe(404)
    expect((await post(server, ping, used)).status).toBe(200)
    await stream.body?.cancel()
  })

  it('opens one stream a session, again after it was left', async () => {
    const server = await serving([])
    const session = { 'mcp-session-id': await rawSession(server) }
    const get = () => fetch(`${server.origin}/mcp`, { headers: { accept: 'text/event-stream', ...session } })
    const stream = await get()
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect((await get()).status).toBe(409)
    await stream.body?.cancel()
    await expect.poll(async () => (await get()).status, { timeout: 5000 }).toBe(200)
  })

  it('leaves nothing behind when it is disposed', async () => {
    const tool = endless()
    const server = await serving([tool])
    const session = { 'mcp-session-id': await rawSession(server) }
    const stream = await fetch(`${server.origin}/mcp`, { headers: { accept: 'text/event-stream', ...session } })
    const call = post(server, callOf(tool.name, 1), session).then((response) => response.text())
    await until(() => tool.calls.length === 1)
    await server[Symbol.asyncDispose]()
    expect(tool.calls[0]?.signal?.aborted).toBe(true)
    expect(server.listeners()).toBe(0)
    await Promise.allSettled([call, stream.text()])
  })
})

describe('requests that are turned away', () => {
  it('R-SEC-08 gives an unlisted profile the very answer of an unknown one', async () => {
    const server = await serving([], {
      profiles: ['work', 'open'],
      hostProfiles: [
        { name: 'work', zone: 'local' },
        { name: 'open', zone: 'local' },
      ],
      keyless: ['open'],
    })
    const answers = await Promise.all(
      ['/mcp/work', '/mcp/void', '/elsewhere', '/mcp/'].map(async (path) => {
        const response = await post(server, initialize, {}, path)
        return [response.status, await response.text()]
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]?.[0]).toBe(404)
    await rawSession(server, {}, '/mcp/open')
    await rawSession(server, {}, '/mcp/default')
  })

  it('R-SEC-08 gives 401 to whoever is not known, for every profile alike', async () => {
    const server = await serving([], { profiles: ['work'], hostProfiles: [{ name: 'work', zone: 'local' }] })
    for (const path of ['/mcp', '/mcp/work', '/mcp/void']) {
      const response = await post(server, initialize, { 'x-forwarded-for': '127.0.0.1' }, path)
      expect([response.status, await response.json()]).toMatchObject([
        401,
        { error: { data: { code: 'SERVE_REFUSED', hint: expect.any(String) } } },
      ])
    }
  })

  it('lets no page of another site in, on any path', async () => {
    const server = await serving([])
    for (const path of ['/mcp', '/elsewhere']) {
      const response = await post(server, initialize, { origin: 'https://evil.example.org' }, path)
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
    const face = createFace(server.host, { profiles: [], authenticate: async () => ({ principal: localClient }) })
    open.push(face)
    const rebound = new Request('http://127.0.0.1/mcp', { method: 'POST', headers: { host: 'evil.example.org' } })
    expect((await face.fetch(rebound, { remoteAddress: '127.0.0.1' })).status).toBe(403)
  })

  it.each([
    ['broken JSON', '{"jsonrpc":', {}, 400, -32700],
    ['something that is no message', { hello: 1 }, {}, 400, -32600],
    ['an empty batch', [], {}, 400, -32600],
    ['a batch that initialises', [initialize], {}, 400, -32600],
    ['no session id', callOf('notes__a', 1), {}, 400, -32000],
    ['another content type', initialize, { 'content-type': 'text/plain' }, 415, -32000],
    ['a client that reads no JSON', initialize, { accept: 'text/html' }, 406, -32000],
  ])('says what is wrong with %s', async (_, body, headers, status, code) => {
    const response = await post(await serving([]), body, headers)
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { jsonrpc: '2.0', id: null, error: { code } },
    ])
  })

  it('refuses a second initialize and an unknown protocol version in a session', async () => {
    const server = await serving([])
    const session = { 'mcp-session-id': await rawSession(server) }
    expect((await post(server, initialize, session)).status).toBe(400)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(server, ping, { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await post(server, ping, { ...session, 'mcp-protocol-version': '2025-03-26' })).status).toBe(200)
  })

  it('names the methods that it serves', async () => {
    const server = await serving([])
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      const response = await fetch(`${server.origin}/mcp`, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
    }
  })

  it('stops reading a body that is too large, also one without an announced length', async () => {
    const server = await serving([], { limits: { bodyBytes: 1000 } })
    expect((await post(server, 'x'.repeat(1001))).status).toBe(413)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        controller.enqueue(new Uint8Array(600).fill(32))
      },
    })
    const face = createFace(server.host, {
      profiles: [],
      authenticate: async () => ({ principal: localClient }),
      limits: { bodyBytes: 1000 },
    })
    open.push(face)
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body, duplex: 'half' })
    expect((await face.fetch(request, { remoteAddress: '127.0.0.1' })).status).toBe(413)
    expect(sent).toBeLessThan(10)
  })

  it('answers a batch by an array', async () => {
    const server = await serving([{ name: 'notes__a' }])
    const session = { 'mcp-session-id': await rawSession(server) }
    const batch = [
      { jsonrpc: '2.0', id: 'x', method: 'ping' },
      callOf('notes__a', 7),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]
    const answers = (await (await post(server, batch, session)).json()) as { id: unknown }[]
    expect(answers.map(({ id }) => id).sort()).toEqual([7, 'x'])
  })
})
