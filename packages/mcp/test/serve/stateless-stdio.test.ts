import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { localClient } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { serveStdio } from '../../src/serve/serve-stdio.ts'
import { revision } from './stateless-clients.ts'
import { answered, createStubHost, ok, type StubFeatures, type StubTool } from './stub-host.ts'
import { until } from './until.ts'

const text = (value: unknown) => ok({ content: [{ type: 'text', text: JSON.stringify(value) }] })

function serving(tools: readonly StubTool[], features: StubFeatures = {}) {
  const stub = createStubHost(tools, [], features)
  const input = new PassThrough()
  const output = new PassThrough()
  const over = serveStdio(stub.host, { profile: 'default', principal: localClient, input, output })
  return { ...stub, input, output, over }
}

type Mode = { pin: string } | 'auto'

async function connect(
  { input, output }: Pick<ReturnType<typeof serving>, 'input' | 'output'>,
  mode: Mode = { pin: revision },
) {
  const client = new Client(
    { name: 'tester', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { word: 'hello' } }))
  // Lines are the same in both directions.
  await client.connect(new StdioServerTransport(output, input))
  return client
}

describe('a stateless client over streams', () => {
  it.each(['auto', { pin: revision }] as const)('lists, calls and is asked (%o)', async (mode) => {
    const asking: StubTool = {
      name: 'notes__ask',
      run: async (_, { caller, signal }) =>
        text(
          await caller?.elicit?.(
            { message: 'Q?', requestedSchema: { type: 'object', properties: {} } },
            signal as AbortSignal,
          ),
        ),
    }
    const served = serving([asking])
    const client = await connect(served, mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes__ask'])
    const { content } = await client.callTool({ name: 'notes__ask', arguments: {} })
    expect(JSON.stringify(content)).toContain('hello')
    await expect(client.callTool({ name: 'notes__void' })).rejects.toMatchObject({ code: -32602 })
    served.input.end()
    await served.over
    expect(served.listeners()).toBe(0)
  })

  it('hears of changed lists and of updates that it listens to', async () => {
    const page = {
      uri: 'memo://one',
      original: 'memo://one',
      appId: 'notes',
      definition: { uri: 'memo://one', name: 'one' },
    }
    const asked: unknown[] = []
    let notify: ((method: string, params: { uri: string }) => void) | undefined
    const served = serving([], {
      resources: [page] as never,
      ask(method, _uri, { caller }) {
        asked.push(method)
        notify = caller?.notify
        return answered({})
      },
    })
    const client = await connect(served)
    const heard: string[] = []
    client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'))
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    const listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://one'] })
    served.change([{ name: 'notes__a' }])
    await until(() => heard.length === 1)
    notify?.('notifications/resources/updated', { uri: 'memo://one' })
    await until(() => heard.length === 2)
    expect(heard).toEqual(['tools', 'memo://one'])
    await listening.close()
    await until(() => asked.length === 2)
    expect(asked).toEqual(['subscribe', 'unsubscribe'])
    served.input.end()
    await served.over
  })

  it('cancels a call, and gets the answers that are open when its input ends', async () => {
    let signal: AbortSignal | undefined
    let finish = () => {}
    const slow: StubTool = {
      name: 'notes__slow',
      run: (_, options) => {
        signal = options.signal
        return new Promise((resolve) => {
          finish = () => resolve(text('late'))
        })
      },
    }
    const served = serving([slow])
    const client = await connect(served)
    const leaving = new AbortController()
    const cancelled = client.callTool({ name: 'notes__slow' }, { signal: leaving.signal }).catch(() => 'cancelled')
    await until(() => signal !== undefined)
    leaving.abort()
    expect(await cancelled).toBe('cancelled')
    await until(() => signal?.aborted === true)
    const open = client.callTool({ name: 'notes__slow' })
    await until(() => signal?.aborted === false)
    served.input.end()
    finish()
    expect(JSON.stringify(await open)).toContain('late')
    await served.over
  })
})
