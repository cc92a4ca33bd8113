import type { JsonObject } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { ServerRequestError } from '../../src/peer/mcp-peer.ts'
import { failureOf, until } from '../observe.ts'
import { ask, callTool, openServer, textIn, token } from './open-stateless.ts'

const able = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

describe.each(['stdio', 'http'] as const)('a server of 2026-07-28 over %s', (kind) => {
  it('says what it is, lists and answers everything, and leaves what it says as it is', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect()
    expect(peer).toMatchObject({
      era: 'stateless',
      protocolVersion: '2026-07-28',
      server: { name: 'stateless', version: '1.2.3', instructions: 'Ask first.' },
    })
    expect(peer.server.capabilities).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } })
    const listed = await ask(peer, 'tools/list')
    expect(listed.ok && listed.result.tools).toContainEqual({
      name: 'echo',
      description: 'The tool echo.',
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    })
    expect(textIn(await callTool(peer, 'echo', { a: 1 }))).toBe('{"a":1}')
    const results = await Promise.all([
      ask(peer, 'prompts/get', { name: 'greet', arguments: { whom: 'Ann' } }),
      ask(peer, 'resources/read', { uri: 'memo://one' }),
      ask(peer, 'resources/templates/list'),
      ask(peer, 'completion/complete', {
        ref: { type: 'ref/prompt', name: 'greet' },
        argument: { name: 'whom', value: 'A' },
      }),
    ])
    expect(results).toMatchObject([
      { ok: true, result: { messages: [{ content: { text: 'Greet Ann.' } }] } },
      { ok: true, result: { contents: [{ text: 'Text of memo://one.' }] } },
      { ok: true, result: { resourceTemplates: [{ uriTemplate: 'memo://{id}' }] } },
      { ok: true, result: { completion: { values: ['A!'] } } },
    ])
  })

  it('keeps errors as they are, with their data, and without the secrets in them', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect()
    expect(await callTool(peer, 'fail')).toEqual({
      ok: false,
      error: { code: -32_050, message: 'No: [redacted]', data: { why: '[redacted]' } },
    })
    expect(await ask(peer, 'no/such')).toMatchObject({ ok: false, error: { code: -32_601 } })
    expect(JSON.stringify(await callTool(peer, 'fail'))).not.toContain(token)
  })

  it('hands a request its own fields in _meta, but nobody speaks for the client', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: { roots: {} } })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const meta = {
      traceparent,
      'io.modelcontextprotocol/clientInfo': { name: 'forged', version: '9' },
      'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
    }
    const said = JSON.parse(textIn(await callTool(peer, 'meta', {}, { meta })))
    expect(said).toMatchObject({
      traceparent,
      'io.modelcontextprotocol/clientInfo': { name: 'rollcall' },
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    })
  })

  it('answers each kind of question that comes with a request', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: able })
    const asked: JsonObject[] = []
    const onServerRequest = async (method: string, params: JsonObject): Promise<JsonObject> => {
      asked.push({ method, ...params })
      if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] }
      if (method === 'elicitation/create') return { action: 'accept', content: { word: 'yes' } }
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }
    }
    const answers: string[] = []
    for (const name of ['ask', 'visit', 'sample', 'roots']) {
      answers.push(textIn(await callTool(peer, name, { word: 'sure?' }, { onServerRequest })))
    }
    expect(answers.map((answer) => JSON.parse(answer))).toMatchObject([
      { action: 'accept', content: { word: 'yes' } },
      { action: 'accept' },
      { model: 'm' },
      { roots: [{ uri: 'file:///a' }] },
    ])
    expect(asked).toMatchObject([
      { method: 'elicitation/create', message: 'sure?', _meta: { 'rollcall/inputKey': expect.any(String) } },
      { method: 'elicitation/create', mode: 'url', url: 'https://x.example/' },
      { method: 'sampling/createMessage', maxTokens: 1 },
      { method: 'roots/list' },
    ])
  })

  it('asks the right one of two callers, in 20 calls at once over three rounds each', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: able })
    const calls = Array.from({ length: 20 }, async (_, of) => {
      const by = of % 2 === 0 ? 'ann' : 'bob'
      const onServerRequest = async (_method: string, { message = '' }: JsonObject) => ({
        action: 'accept',
        content: { word: `${String(message)} by ${by} ${of}` },
      })
      const answer = await callTool(peer, 'interview', { word: `w${of}` }, { onServerRequest })
      expect(JSON.parse(textIn(answer))).toEqual(['a', 'b', 'c'].map((key) => `w${of} ${key} by ${by} ${of}`))
    })
    await Promise.all(calls)
  })

  it('tells a server that nobody wants to answer, or ends the request where the revision has no word for it', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: able })
    const refuse = (code: number) => async () => {
      throw new ServerRequestError(code, 'Refused.')
    }
    const declined = await callTool(peer, 'ask', { word: 'x' }, { onServerRequest: refuse(-1) })
    expect(textIn(declined)).toBe('{"action":"decline"}')
    const broken = await callTool(peer, 'ask', { word: 'x' }, { onServerRequest: () => Promise.reject(new Error('x')) })
    expect(textIn(broken)).toBe('{"action":"cancel"}')
    expect(await callTool(peer, 'roots', {}, { onServerRequest: refuse(-32_600) })).toEqual({
      ok: false,
      error: { code: -32_600, message: 'Refused.' },
    })
    expect(await callTool(peer, 'roots')).toMatchObject({ ok: false, error: { code: -32_601 } })
  })

  it('goes on with a server that only is not ready yet, and ends one that never is', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: able })
    expect(textIn(await callTool(peer, 'notYet'))).toBe('now')
    const onServerRequest = async () => ({ roots: [] })
    const failure = await failureOf(callTool(peer, 'endless', {}, { onServerRequest }))
    expect(failure).toMatchObject({ code: 'SERVER_PROTOCOL', data: { sent: true } })
    expect(failure.message).toContain('16 rounds')
  })

  it('is told of a cancel and of a time-out, which are told apart, and goes on', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect()
    const stop = new AbortController()
    const cancelled = failureOf(callTool(peer, 'wait', {}, { signal: stop.signal }))
    await until(async () => (await server.log()).includes('waits'))
    stop.abort()
    expect(await cancelled).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: true, cancelled: true } })
    expect(await failureOf(callTool(peer, 'wait', {}, { timeoutMs: 200 }))).toMatchObject({
      code: 'SERVER_TIMEOUT',
      data: { sent: true },
    })
    await until(async () => (await server.log()).filter((line) => line === 'stopped').length === 2)
    expect(textIn(await callTool(peer, 'echo'))).toBe('{}')
    const gone = failureOf(callTool(peer, 'echo', {}, { signal: AbortSignal.abort() }))
    expect(await gone).toMatchObject({ data: { sent: false, cancelled: true } })
  })

  it('has more time while it reports progress, up to the total, and while it waits for an answer', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: able })
    const seen: JsonObject[] = []
    const onProgress = (progress: JsonObject) => void seen.push(progress)
    const limits = { timeoutMs: 1_000, maxTotalTimeoutMs: 15_000 }
    const answer = await callTool(peer, 'steps', { count: 4, everyMs: 400 }, { ...limits, onProgress })
    expect(textIn(answer)).toBe('done')
    expect(seen.map(({ progress, total }) => [progress, total])).toEqual([1, 2, 3, 4].map((step) => [step, 4]))
    const shortTotal = { timeoutMs: 1_000, maxTotalTimeoutMs: 1_500 }
    const failure = await failureOf(callTool(peer, 'steps', { count: 50, everyMs: 200 }, shortTotal))
    expect(failure).toMatchObject({ code: 'SERVER_TIMEOUT', message: expect.stringContaining('1500 ms') })
    let answered = 0
    const onServerRequest = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      answered += 1
      return { action: 'accept', content: { word: 'late' } }
    }
    expect(textIn(await callTool(peer, 'ask', { word: 'x' }, { ...limits, onServerRequest }))).toContain('late')
    expect(answered).toBe(1)
  })

  it('takes a question back when its caller gives up', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect({ clientCapabilities: able })
    const stop = new AbortController()
    const asked = Promise.withResolvers<AbortSignal>()
    const onServerRequest = (_method: string, _params: JsonObject, signal: AbortSignal) => {
      asked.resolve(signal)
      return new Promise<JsonObject>(() => {})
    }
    const failed = failureOf(callTool(peer, 'ask', { word: 'x' }, { signal: stop.signal, onServerRequest }))
    const signal = await asked.promise
    expect(signal.aborted).toBe(false)
    stop.abort()
    expect(await failed).toMatchObject({ data: { cancelled: true, sent: true } })
    expect(signal.aborted).toBe(true)
  })

  it('tells of changed lists and resources to those who listen, and of nobody else', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect()
    const heard: string[] = []
    peer.onNotification((method, params) => heard.push(`${method} ${JSON.stringify(params)}`))
    expect(await ask(peer, 'resources/subscribe', { uri: 'memo://one' })).toEqual({ ok: true, result: {} })
    await callTool(peer, 'update', { uri: 'memo://two' })
    await callTool(peer, 'update', { uri: 'memo://one' })
    await callTool(peer, 'change', { name: 'fresh' })
    await until(() => heard.length >= 2)
    expect(heard).toEqual([
      'notifications/resources/updated {"uri":"memo://one"}',
      expect.stringContaining('notifications/tools/list_changed'),
    ])
    const listed = await ask(peer, 'tools/list')
    expect(JSON.stringify(listed)).toContain('"fresh"')
    await ask(peer, 'resources/unsubscribe', { uri: 'memo://one' })
    await callTool(peer, 'update', { uri: 'memo://one' })
    await callTool(peer, 'change', { name: 'fresher' })
    await until(() => heard.length >= 3)
    expect(heard.filter((line) => line.includes('memo://one'))).toHaveLength(1)
  })

  it('says in log messages what was asked for, without secrets', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect()
    const heard: JsonObject[] = []
    const own: JsonObject[] = []
    peer.onNotification((method, params) => heard.push({ method, params }))
    const onNotification = (method: string, params: JsonObject) => void own.push({ method, params })
    await callTool(peer, 'log', { data: 'unasked' }, { onNotification })
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' }
    await callTool(peer, 'log', { data: `with ${token}` }, { onNotification, meta })
    const said = kind === 'http' ? own : heard
    await until(() => said.length > 0)
    expect([...own, ...heard]).toEqual([
      { method: 'notifications/message', params: { level: 'info', data: 'with [redacted]' } },
    ])
  })

  it('leaves, and whatever was on its way ends at once with the reason', async () => {
    await using server = await openServer(kind)
    const peer = await server.connect()
    const waiting = failureOf(callTool(peer, 'wait'))
    await until(async () => (await server.log()).includes('waits'))
    const failure = await failureOf(callTool(peer, 'exit'))
    expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: true } })
    expect(await waiting).toMatchObject({ code: 'SERVER_UNAVAILABLE', data: { sent: true } })
    if (kind === 'stdio') expect(failure.message).toContain('exit code 7')
    expect(await failureOf(callTool(peer, 'echo'))).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
  })
})

describe('over HTTP', () => {
  it('listens anew when the stream is lost, and tells everything as changed that may have been missed', async () => {
    await using server = await openServer('http')
    const peer = await server.connect()
    const heard: string[] = []
    peer.onNotification((method, params) => heard.push(`${method} ${JSON.stringify(params)}`))
    await ask(peer, 'resources/subscribe', { uri: 'memo://one' })
    await callTool(peer, 'hangUp')
    await until(() => heard.length >= 4)
    expect(heard.map((line) => line.split(' ')[0])).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
    ])
    await callTool(peer, 'update', { uri: 'memo://one' })
    await until(() => heard.length >= 5)
  })

  it('shows arguments in headers where the server asked for that in its list', async () => {
    await using server = await openServer('http')
    const peer = await server.connect()
    await ask(peer, 'tools/list')
    await callTool(peer, 'echo', { region: 'north' })
    await callTool(peer, 'echo', { region: 'Süd' })
    await callTool(peer, 'echo', { other: 'x' })
    expect((await server.log()).filter((line) => line.startsWith('region'))).toEqual([
      'region north',
      `region =?base64?${Buffer.from('Süd').toString('base64')}?=`,
    ])
  })
})
