import { request } from 'node:http'
import type { Principal } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { eventsOf, openRawSession, serveStub } from './face-clients.ts'
import { answerIn, ask, connectStateless, send } from './stateless-clients.ts'
import { answered, ok, type StubTool } from './stub-host.ts'
import { until } from './until.ts'

const text = (value: string) => ok({ content: [{ type: 'text', text: value }] })
const notes: StubTool = { name: 'notes__a' }
const page = {
  appId: 'notes',
  original: 'memo://one',
  uri: 'memo://one',
  definition: { uri: 'memo://one', name: 'one' },
}

describe('a client of the revision 2026-07-28', () => {
  it('finds at the address of the sessions what they find, and no session', async () => {
    await using served = await serveStub([{ name: 'notes__b' }, notes])
    await using client = await connectStateless(served)
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(client.getInstructions()).toContain('Rollcall offers')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes__b', 'notes__a'])
    expect(await client.callTool({ name: 'notes__a' })).toMatchObject({ content: [{ text: 'done' }] })
    const response = await send(served, 'tools/list')
    expect(response.headers.has('mcp-session-id')).toBe(false)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const session = await openRawSession(served)
    const listed = await answerIn(await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    expect((await ask(served, 'tools/list')).result?.tools).toEqual(listed.result?.tools)
  })

  it('R-SEC-25 may keep a list for itself for a while, and share it with nobody', async () => {
    await using served = await serveStub([notes], { resources: [page] as never })
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const { result } = await ask(served, method)
      expect(result, method).toMatchObject({ resultType: 'complete', cacheScope: 'private', ttlMs: 5000 })
    }
    expect((await ask(served, 'server/discover')).result).toMatchObject({ cacheScope: 'private' })
  })

  it('meets the same checks as a session', async () => {
    await using served = await serveStub([notes])
    expect((await ask(served, 'tools/list', {}, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await ask(served, 'tools/list', {}, { headers: { 'x-forwarded-for': '1.2.3.4' } })).status).toBe(401)
    expect((await ask(served, 'tools/list', {}, { path: '/mcp/other' })).status).toBe(404)
    expect(await statusWithHost(served.origin, 'evil.example')).toBe(403)
    const large = { name: 'notes__a', arguments: { a: 'x'.repeat(4 * 1024 * 1024) } }
    expect((await ask(served, 'tools/call', large)).status).toBe(413)
  })

  it('has its requests counted with those of its sessions', async () => {
    let release = () => {}
    const slow: StubTool = {
      name: 'notes__slow',
      run: () => new Promise((done) => (release = () => done(text('late')))),
    }
    await using served = await serveStub([slow], {}, { limits: { openAnswers: 1 } })
    const first = ask(served, 'tools/call', { name: 'notes__slow' })
    await until(() => served.lastCall() !== undefined)
    const { status, error } = await ask(served, 'tools/list')
    expect({ status, code: error?.data?.code }).toEqual({ status: 429, code: 'BUSY' })
    release()
    expect((await first).result).toMatchObject({ content: [{ text: 'late' }] })
    await expect.poll(async () => (await ask(served, 'tools/list')).status).toBe(200)
  })

  it('frees its place by leaving, whether it waits for a call or listens', async () => {
    const slow: StubTool = { name: 'notes__slow', run: () => new Promise(() => {}) }
    await using served = await serveStub([slow], {}, { limits: { openAnswers: 1 } })
    const listen = { notifications: { toolsListChanged: true } }
    for (const [method, params] of [
      ['tools/call', { name: 'notes__slow' }],
      ['subscriptions/listen', listen],
    ] as const) {
      const leaving = new AbortController()
      const left = send(served, method, params, { signal: leaving.signal }).catch(() => 'left')
      await expect.poll(async () => (await ask(served, 'tools/list')).status).toBe(429)
      leaving.abort()
      await left
      await expect.poll(async () => (await ask(served, 'tools/list')).status).toBe(200)
    }
  })

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'x/unknown'])(
    'is told with 404 that %s is no method of this revision',
    async (method) => {
      await using served = await serveStub([notes])
      expect(await ask(served, method)).toMatchObject({ status: 404, error: { code: -32601 } })
    },
  )

  it('opens no stream and ends no session with it', async () => {
    await using served = await serveStub([notes])
    const headers = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' }
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${served.origin}/mcp`, { method, headers })
      expect(response.status, method).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
    }
  })

  it('is told of a resource that is not there by the code of this revision', async () => {
    await using served = await serveStub([])
    const { error } = await ask(served, 'resources/read', { uri: 'memo://void' })
    expect(error).toMatchObject({ code: -32602, data: { uri: 'memo://void' } })
  })

  it('gets what a server answers unchanged', async () => {
    const result = { contents: [{ uri: 'memo://one', text: 'One.', 'x.example/odd': 1 }] }
    await using served = await serveStub([], { resources: [page] as never, ask: () => answered(result) })
    expect((await ask(served, 'resources/read', { uri: 'memo://one' })).result).toMatchObject(result)
    const completion = { completion: { values: ['one'], total: 1 } }
    await using other = await serveStub([], { ask: () => answered(completion) })
    const params = { ref: { type: 'ref/prompt', name: 'notes__p' }, argument: { name: 'a', value: 'o' } }
    expect((await ask(other, 'completion/complete', params)).result).toMatchObject(completion)
  })

  it('hears of progress, and of log messages of the level that its request names', async () => {
    const talking: StubTool = {
      name: 'notes__talk',
      run: (_, { onProgress, caller }) => {
        onProgress?.({ done: 1, total: 2, message: 'half' })
        caller?.notify?.('notifications/message', { level: 'debug', data: 'quiet' })
        caller?.notify?.('notifications/message', { level: 'error', data: 'loud' })
        return text('said')
      },
    }
    await using served = await serveStub([talking])
    const params = { name: 'notes__talk' }
    expect((await ask(served, 'tools/call', params)).told).toEqual([])
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'warning' }
    const { told, result } = await ask(served, 'tools/call', params, { meta })
    expect(told.map(({ method, params: said }) => [method, said])).toEqual([
      ['notifications/progress', { progressToken: 'p', progress: 1, total: 2, message: 'half' }],
      ['notifications/message', { level: 'error', data: 'loud' }],
    ])
    expect(result).toMatchObject({ content: [{ text: 'said' }] })
  })

  it('cancels a call by closing its response', async () => {
    let signal: AbortSignal | undefined
    const slow: StubTool = {
      name: 'notes__slow',
      run: (_, options) => {
        signal = options.signal
        options.onProgress?.({ done: 0 })
        return new Promise(() => {})
      },
    }
    await using served = await serveStub([slow])
    const leaving = new AbortController()
    const response = await send(
      served,
      'tools/call',
      { name: 'notes__slow' },
      { meta: { progressToken: 1 }, signal: leaving.signal },
    )
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(signal?.aborted).toBe(false)
    leaving.abort()
    await until(() => signal?.aborted === true)
  })

  it('is shown and may call what it can be asked for, and is told what it lacks', async () => {
    await using served = await serveStub([notes, { name: 'notes__ask', needs: ['elicitation'] }])
    const named = async (capabilities: object) =>
      (await ask(served, 'tools/list', {}, { capabilities: { ...capabilities } })).result?.tools
    expect(await named({})).toHaveLength(1)
    expect(await named({ elicitation: {} })).toHaveLength(2)
    const { status, error } = await ask(served, 'tools/call', { name: 'notes__ask' })
    expect({ status, error }).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    })
    expect(served.lastCall()).toBeUndefined()
  })

  it('sends arguments as headers too, which must say the same', async () => {
    const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
    // Room for one: what is refused must not hold it.
    const tool = { name: 'notes__a', definition: { inputSchema } }
    await using served = await serveStub([tool], {}, { limits: { openAnswers: 1 } })
    const params = { name: 'notes__a', arguments: { region: 'north' } }
    const call = (region: string) => ask(served, 'tools/call', params, { headers: { 'mcp-param-region': region } })
    expect((await call('north')).result).toMatchObject({ content: [{ text: 'done' }] })
    expect(await call('south')).toMatchObject({ status: 400, error: { code: -32020 } })
    const nothing = { notifications: 7 }
    expect((await ask(served, 'subscriptions/listen', nothing)).error?.code).toBe(-32602)
    expect(await ask(served, 'tools/list', {}, { headers: { 'mcp-method': 'tools/call' } })).toMatchObject({
      status: 400,
      error: { code: -32020 },
    })
  })

  it('is told which revisions there are when it asks for another one', async () => {
    await using served = await serveStub([notes])
    const later = '2099-01-01'
    const { status, error } = await ask(
      served,
      'server/discover',
      {},
      {
        meta: { 'io.modelcontextprotocol/protocolVersion': later },
        headers: { 'mcp-protocol-version': later },
      },
    )
    expect(status).toBe(400)
    expect(error?.data).toEqual({ supported: ['2026-07-28'], requested: later })
  })
})

describe('subscriptions/listen', () => {
  it('tells of changed lists that were asked for, and of no others, and ends with the server', async () => {
    const served = await serveStub([notes])
    const listen = { notifications: { toolsListChanged: true } }
    const events = eventsOf(await send(served, 'subscriptions/listen', listen))
    const next = async () => JSON.parse((await events.next())?.data ?? '{}')
    expect(await next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true } },
    })
    served.changeFeatures({ resources: [page] as never })
    served.change([notes, { name: 'notes__b' }])
    expect(await next()).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } },
    })
    await served[Symbol.asyncDispose]()
    expect(await next()).toMatchObject({ id: 7, result: { resultType: 'complete' } })
    expect(served.listeners()).toBe(0)
  })

  it('tells of resources that the client may read, by the address that it knows, until it leaves', async () => {
    const asked: unknown[] = []
    let notify: ((method: string, params: { uri: string }) => void) | undefined
    await using served = await serveStub([], {
      resources: [page] as never,
      ask(method, uri, { caller }) {
        asked.push([method, uri])
        if (uri !== 'memo://one')
          return { status: 'denied', callId: 'x', durationMs: 1, code: 'FEATURE_DENIED', text: '', hint: '' }
        notify = caller?.notify
        return answered({})
      },
    })
    const updates: unknown[] = []
    await using client = await connectStateless(served, {}, (made) =>
      made.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri)),
    )
    const listening = await client.listen({ resourceSubscriptions: ['memo://one', 'memo://secret'] })
    expect(listening.honoredFilter.resourceSubscriptions).toEqual(['memo://one'])
    notify?.('notifications/resources/updated', { uri: 'as-the-server-writes-it' })
    await until(() => updates.length === 1)
    expect(updates).toEqual(['memo://one'])
    await listening.close()
    await until(() => asked.length === 3)
    expect(asked[2]).toEqual(['unsubscribe', 'memo://one'])
  })
})

describe('who is told nothing by a stateless client', () => {
  it('R-SEC-25 a server never hears what only carries a request', async () => {
    await using served = await serveStub([notes])
    const meta = { 'rollcall/forged': 1, traceparent: 'x', 'x.example/kept': 2, progressToken: 3 }
    await ask(served, 'tools/call', { name: 'notes__a' }, { meta })
    expect(served.lastCall()?.meta).toEqual({ 'x.example/kept': 2 })
    expect(served.lastCall()?.client).toBeUndefined()
  })

  it('R-SEC-04 is of the principal that each single request is of', async () => {
    const people: Record<string, Principal> = {}
    const authenticate = async ({ headers }: { headers: Headers }) => {
      const id = headers.get('x-person')
      if (id === null) return undefined
      people[id] ??= { id, kind: 'person', zone: 'local', groups: [] } as never
      return { principal: people[id] }
    }
    await using served = await serveStub([notes], {}, { authenticate })
    expect((await ask(served, 'tools/list')).status).toBe(401)
    for (const id of ['ann', 'bob']) {
      await ask(served, 'tools/call', { name: 'notes__a' }, { headers: { 'x-person': id } })
      expect(served.lastCall()?.principal.id).toBe(id)
    }
  })
})

/** `fetch` writes this header itself. */
function statusWithHost(origin: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, accept: '*/*', 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' }
    request(`${origin}/mcp`, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end('{}')
  })
}
