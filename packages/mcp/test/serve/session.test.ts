import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { CallOptions } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { withInputKey } from '../../src/peer/input-key.ts'
import { connectClient, eventsOf, openRawSession, serveStub } from './face-clients.ts'
import { answered, ok, type StubTool } from './stub-host.ts'
import { until } from './until.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

function keep<T extends AsyncDisposable>(one: T): T {
  open.push(one)
  return one
}

const never = new AbortController().signal

/** A tool that asks its caller something and answers with what it was told. */
function asking(
  how: (options: CallOptions) => Promise<JsonObject> | undefined,
): StubTool & { readonly got: unknown[] } {
  const got: unknown[] = []
  return {
    name: 'notes__asks',
    got,
    async run(_, options) {
      const answer = await how(options)?.catch((error: unknown) => error)
      got.push(answer)
      return ok({
        content: [],
        structured: { answer: answer instanceof Error ? answer.message : (answer ?? 'nobody') },
      })
    },
  }
}

const callOf = (id: number | string, name = 'notes__asks', _meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...(_meta && { _meta }) },
})

describe('what servers ask of a client', () => {
  it('reaches the client during its call, and its answer comes back as it is', async () => {
    const elicitation = {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    }
    const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }
    const tool = asking(async ({ caller }) => ({
      // The name of a question is for clients of the other era.
      elicited: (await caller?.elicit?.(withInputKey(elicitation, 'name'), never)) ?? null,
      sampled: (await caller?.sample?.(sampling, never)) ?? null,
      roots: (await caller?.roots?.(never)) ?? null,
    }))
    const server = keep(await serveStub([tool]))
    const asked: unknown[] = []
    const { client } = keep(
      await connectClient(server, { elicitation: {}, sampling: {}, roots: {} }, (one) => {
        one.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          asked.push(params)
          return { action: 'accept', content: { name: 'Ann' } }
        })
        one.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
          asked.push(params)
          return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } }
        })
        one.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///srv', name: 'srv' }] }))
      }),
    )
    await client.callTool({ name: tool.name })
    expect(asked).toMatchObject([elicitation, sampling])
    expect(JSON.stringify(asked)).not.toContain('inputKey')
    expect(tool.got).toEqual([
      {
        elicited: { action: 'accept', content: { name: 'Ann' } },
        sampled: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } },
        roots: { roots: [{ uri: 'file:///srv', name: 'srv' }] },
      },
    ])
  })

  it('is asked only of a client that said that it can, and only in the way that it can', async () => {
    const tool = asking(({ caller }) => {
      const url = { mode: 'url', message: 'Go.', url: 'https://x.example.org', elicitationId: 'e' }
      return caller?.sample === undefined ? caller?.elicit?.(url, never) : undefined
    })
    const server = keep(await serveStub([tool]))
    const form = await openRawSession(server, '2025-11-25', { elicitation: { form: {} } })
    expect(await (await form.post(callOf(1))).json()).toMatchObject({
      result: { structuredContent: { answer: 'The client is not capable of that kind of elicitation.' } },
    })
    const none = await openRawSession(server)
    expect(await (await none.post(callOf(1))).json()).toMatchObject({
      result: { structuredContent: { answer: 'nobody' } },
    })
  })

  it('goes over the answer to the call, for clients without a stream of their own', async () => {
    const tool = asking(({ caller }) => caller?.roots?.(never))
    const server = keep(await serveStub([tool]))
    const session = await openRawSession(server, '2025-06-18', { roots: {} })
    const events = eventsOf(await session.post(callOf('mine')))
    const question = JSON.parse((await events.next())?.data ?? '{}')
    expect(question).toMatchObject({ method: 'roots/list' })
    const answer = { jsonrpc: '2.0', id: question.id, result: { roots: [] } }
    expect((await session.post(answer)).status).toBe(202)
    expect(JSON.parse((await events.next())?.data ?? '{}')).toMatchObject({
      id: 'mine',
      result: { structuredContent: { answer: { roots: [] } } },
    })
    expect(await events.next()).toBeUndefined()
  })

  it('gives the server the error with which a client answers', async () => {
    const tool = asking(({ caller }) => caller?.roots?.(never))
    const server = keep(await serveStub([tool]))
    const session = await openRawSession(server, '2025-11-25', { roots: {} })
    const events = eventsOf(await session.post(callOf(1)))
    await events.next()
    const question = JSON.parse((await events.next())?.data ?? '{}')
    await session.post({ jsonrpc: '2.0', id: question.id, error: { code: -1, message: 'Not now.' } })
    await until(() => tool.got.length === 1)
    expect(tool.got[0]).toMatchObject({ code: -1, message: 'Not now.' })
    await events.leave()
  })

  it('is given up when the call is cancelled, whatever a silent client does', async () => {
    const tool = asking(({ caller }) =>
      caller?.elicit?.({ message: 'Well?', requestedSchema: { type: 'object' } }, never),
    )
    const server = keep(await serveStub([tool]))
    const session = await openRawSession(server, '2025-11-25', { elicitation: {} })
    const events = eventsOf(await session.post(callOf(5)))
    await events.next()
    expect(JSON.parse((await events.next())?.data ?? '{}')).toMatchObject({ method: 'elicitation/create' })
    await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
    await until(() => tool.got.length === 1)
    expect(tool.got[0]).toBeInstanceOf(Error)
  })

  it('is given up when whoever asks gives it up, and when the session ends', async () => {
    const stop = new AbortController()
    const tool = asking(({ caller }) => caller?.roots?.(stop.signal))
    const server = keep(await serveStub([tool]))
    const session = await openRawSession(server, '2025-11-25', { roots: {} })
    const first = eventsOf(await session.post(callOf(1)))
    await first.next()
    await first.next()
    stop.abort()
    await until(() => tool.got.length === 1)
    await first.leave()

    const other = asking(({ caller }) => caller?.roots?.(never))
    server.change([other])
    const second = eventsOf(await session.post(callOf(2)))
    await second.next()
    await second.next()
    await session.end()
    await until(() => other.got.length === 1)
  })

  it('outside of any call goes over the stream of the session, or is refused where there is none', async () => {
    let late: CallOptions | undefined
    const run: StubTool['run'] = (_, options) => {
      late = options
      return ok({ content: [] })
    }
    const server = keep(await serveStub([{ name: 'notes__asks', run }]))
    const session = await openRawSession(server, '2025-06-18', { roots: {} })
    await (await session.post(callOf(1))).text()
    await expect(late?.caller?.roots?.(never)).rejects.toThrow()

    const events = eventsOf(await session.get())
    const answer = late?.caller?.roots?.(never)
    const question = JSON.parse((await events.next())?.data ?? '{}')
    await session.post({ jsonrpc: '2.0', id: question.id, result: { roots: [] } })
    expect(await answer).toEqual({ roots: [] })
    await events.leave()
  })
})

describe('what servers tell a client', () => {
  it('R-SEC-04 is heard by its session alone, log messages from its own level on', async () => {
    const callers = new Map<string, CallOptions>()
    const run: StubTool['run'] = (_, options) => {
      callers.set(options.client?.session ?? '', options)
      for (const level of ['debug', 'info', 'error'])
        options.caller?.notify?.('notifications/message', { level, data: level })
      return ok({ content: [] })
    }
    const server = keep(await serveStub([{ name: 'notes__logs', run }], { ask: () => answered({}) }))
    const heard: Record<string, unknown[]> = { loud: [], quiet: [] }
    const listening = async (name: string) =>
      keep(
        await connectClient(server, {}, (client) => {
          client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
            heard[name]?.push(params.data)
          })
        }),
      )
    const loud = await listening('loud')
    const quiet = await listening('quiet')
    await loud.client.callTool({ name: 'notes__logs' })
    await until(() => heard.loud?.length === 3)
    await loud.client.setLoggingLevel('error')
    await loud.client.callTool({ name: 'notes__logs' })
    await until(() => heard.loud?.length === 4)
    expect(heard).toEqual({ loud: ['debug', 'info', 'error', 'error'], quiet: [] })
    await quiet.client.callTool({ name: 'notes__logs' })
    expect(callers.size).toBe(2)
  })

  it('reaches it after its request too, until the session has ended', async () => {
    let subscriber: CallOptions | undefined
    const server = keep(
      await serveStub([], {
        ask(_, __, options) {
          subscriber = options
          return answered({})
        },
      }),
    )
    const updated: string[] = []
    const one = keep(
      await connectClient(server, {}, (client) => {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri))
      }),
    )
    await until(one.hasStream)
    await one.client.subscribeResource({ uri: 'demo://1' })
    subscriber?.caller?.notify?.('notifications/resources/updated', { uri: 'demo://1' })
    await until(() => updated.length === 1)
    subscriber?.caller?.notify?.('notifications/tools/list_changed', {})
    expect(subscriber?.client?.ended?.aborted).toBe(false)
    await fetch(`${server.origin}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': one.sessionId } })
    expect(subscriber?.client?.ended?.aborted).toBe(true)
    expect(updated).toEqual(['demo://1'])
  })

  it('includes changed prompts and resources', async () => {
    const server = keep(await serveStub([]))
    const told: string[] = []
    const one = keep(
      await connectClient(server, {}, (client) => {
        client.setNotificationHandler(PromptListChangedNotificationSchema, () => void told.push('prompts'))
        client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push('resources'))
      }),
    )
    await until(one.hasStream)
    server.changeFeatures({ prompts: [{ name: 'n__p', original: 'p', appId: 'n', definition: { name: 'p' } }] })
    await until(() => told.length === 1)
    server.changeFeatures({ resources: [{ uri: 'd://1', original: 'd://1', appId: 'n', definition: { name: 'x' } }] })
    await until(() => told.length === 3)
    expect(told).toEqual(['prompts', 'prompts', 'resources'])
  })
})
