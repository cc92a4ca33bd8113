import type { FeatureRequest } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { failureOf, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, openProject, type Project } from '../open-project.ts'
import { openSession } from '../open-session.ts'
import { type Answer, listen } from '../transports/listen-http.ts'

async function leaving(project: Project, server: object = {}) {
  const mcp = project.start()
  const env = { LOG_FILE: project.logFile, FOLDER: project.folder }
  const provider = await project.open(mcp, 'a', { ...fixture('leaves', env), ...server })
  await settled(provider)
  return { mcp, provider }
}

async function timesOf(project: Project, line: string): Promise<number> {
  return (await project.log()).filter((each) => each === line).length
}

describe('a call whose server leaves', () => {
  it.each(['read', 'idempotentWrite'] as const)('is made once more where it is a %s, with its key', async (effect) => {
    await using project = await openProject()
    const { mcp, provider } = await leaving(project)
    const result = await provider.call('once', {}, callBy('ann', { effect, idempotencyKey: 'key-7' }))
    expect(textOf(result)).toBe('again with key-7')
    expect(await timesOf(project, 'called once')).toBe(2)
    expect(mcp.servers()[0]).toMatchObject({ state: 'ready' })
  })

  it('is not made again where it is a write, and says how the server left', async () => {
    await using project = await openProject()
    const { provider } = await leaving(project)
    const failure = await failureOf(provider.call('once', {}, callBy('ann', { effect: 'write' })))
    expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { exitCode: 9 } })
    expect(failure.message).toContain('out of memory')
    expect(textOf(await provider.call('short', {}, callBy('ann', { effect: 'write' })))).toBe('short')
    expect(await timesOf(project, 'called once')).toBe(1)
  })

  it('is not made a third time', async () => {
    await using project = await openProject()
    const { provider } = await leaving(project)
    const failure = await failureOf(provider.call('always', {}, callBy()))
    expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { exitCode: 9 } })
    expect(await timesOf(project, 'called always')).toBe(2)
    expect(textOf(await provider.call('short', {}, callBy()))).toBe('short')
  })

  it('is not made again where the tool is another one after the restart', async () => {
    await using project = await openProject()
    const { provider } = await leaving(project)
    const inputSchema = { type: 'object', properties: { all: { type: 'string' } }, required: ['all'] }
    await project.write('tools.json', [{ name: 'once', description: 'Deletes all.', inputSchema }])
    expect((await failureOf(provider.call('once', {}, callBy()))).code).toBe('DEFINITION_CHANGED')
    expect(await timesOf(project, 'called once')).toBe(1)
  })

  it('has one time-out for both attempts', async () => {
    await using project = await openProject()
    const { provider } = await leaving(project)
    const startedAt = performance.now()
    const failure = await failureOf(provider.call('late', {}, callBy('ann', { timeoutMs: 1_500 })))
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    expect(failure).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN', data: { reason: 'SERVER_TIMEOUT' } })
    expect(await timesOf(project, 'called late')).toBe(2)
  })
})

describe('a request that is no call', () => {
  const reads: readonly FeatureRequest[] = [
    { method: 'resources/read', params: { uri: 'x:1' } },
    { method: 'prompts/get', params: { name: 'greet' } },
    { method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: {} } },
  ]

  it.each(reads)('$method is made once more when its server leaves', async (request) => {
    await using project = await openProject()
    const { provider } = await leaving(project)
    expect(await provider.request?.(request, callBy())).toMatchObject({ ok: true })
    expect(await timesOf(project, 'asked')).toBe(2)
  })

  it('that subscribes is not', async () => {
    await using project = await openProject()
    const { provider } = await leaving(project)
    const request = { method: 'resources/subscribe', params: { uri: 'x:1' } } as const
    const subscribing = provider.request?.(request, openSession('ann').call()) ?? expect.fail()
    expect((await failureOf(subscribing)).code).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(await timesOf(project, 'asked')).toBe(1)
  })
})

describe('a session over HTTP that is lost', () => {
  function forgetful() {
    let session = 0
    let isForgotten = false
    const answer: Answer = ({ method }, response, { headers }) => {
      if (method === 'initialize') {
        session += 1
        isForgotten = false
        response.setHeader('mcp-session-id', `s-${session}`)
      } else if (isForgotten || headers['mcp-session-id'] !== `s-${session}`) response.writeHead(404).end()
    }
    return {
      answer,
      forget: () => {
        isForgotten = true
      },
    }
  }

  it('is begun anew and compared, and the read that found out is made once more', async () => {
    const { answer, forget } = forgetful()
    await using server = await listen(answer)
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: server.url })
    await settled(provider)
    forget()
    const before = server.seen.length
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
    const since = server.seen.slice(before).flatMap(({ message }) => message?.method ?? [])
    expect(since).toEqual(['tools/call', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call'])
  })

  it('again and again never leaves the server alone', async () => {
    const { answer, forget } = forgetful()
    await using server = await listen(answer)
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: server.url })
    await settled(provider)
    for (let time = 0; time < 7; time += 1) {
      forget()
      expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
    }
  })

  it('lets the calls finish that the server has already taken', async () => {
    const { answer, forget } = forgetful()
    const held = Promise.withResolvers<() => void>()
    await using server = await listen((message, response, request) => {
      if (message.params?.name === 'other') {
        response.setHeader('content-type', 'application/json').flushHeaders()
        const result = { content: [{ type: 'text', text: 'taken' }] }
        held.resolve(() => response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result })))
      } else answer(message, response, request)
    })
    await using project = await openProject()
    const provider = await project.open(project.start(), 'web', { url: server.url })
    await settled(provider)
    const taken = provider.call('other', {}, callBy('ann', { effect: 'write' }))
    const finish = await held.promise
    forget()
    expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
    finish()
    expect(textOf(await taken)).toBe('taken')
    const goodbyes = () => server.seen.filter(({ method }) => method === 'DELETE').length
    await until(() => goodbyes() === 1)
  })
})

it.each([429, 500, 503])('a server over HTTP that answers with %i keeps its connection', async (status) => {
  let isBusy = false
  await using server = await listen((message, response) => {
    if (message.method === 'tools/call' && isBusy) response.writeHead(status).end()
  })
  await using project = await openProject()
  const mcp = project.start()
  const provider = await project.open(mcp, 'web', { url: server.url })
  await settled(provider)
  isBusy = true
  const before = server.seen.length
  await failureOf(provider.call('hello', {}, callBy()))
  expect(mcp.servers()[0]).toMatchObject({ state: 'ready', connections: 1 })
  isBusy = false
  expect(textOf(await provider.call('hello', {}, callBy()))).toBe('hello over http')
  expect(server.seen.slice(before).map(({ message }) => message?.method)).toEqual(['tools/call', 'tools/call'])
})
