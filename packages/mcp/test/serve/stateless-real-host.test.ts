import { readFile } from 'node:fs/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createHost } from '@rollcall/host'
import type { Principal } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { until } from '../observe.ts'
import { fixture, openProject } from '../open-project.ts'
import { listen } from './listen.ts'
import { ask, revision } from './stateless-clients.ts'

function personOf(id: string): Principal {
  return { kind: 'user', id, person: id, admin: false, scopes: ['tools:call'] }
}

/** A server of the session revisions that asks during its calls, behind the whole host, for `ann` and `bob`. */
async function openAsking() {
  const project = await openProject()
  const mcp = project.start()
  const server = fixture('asking-server', { LOG_FILE: project.logFile })
  const host = await createHost({
    connectMcp: mcp.connect,
    providers: { a: { server, dataClass: 'publicContent', effect: 'write', approval: 'notNeeded' } },
  })
  const people = new Map(['ann', 'bob'].map((id) => [id, personOf(id)]))
  const listening = await listen(
    mcp.serve(host, {
      profiles: [],
      authenticate: async ({ headers }) => {
        const principal = people.get(headers.get('x-person') ?? '')
        return principal && { principal }
      },
    }),
  )
  await until(() => host.tools.list({ principal: personOf('ann'), profile: 'default' }).length > 0)
  return {
    ...listening,
    /** How often the server got a call of this tool. */
    called: async (name: string) => (await readFile(project.logFile, 'utf8')).split(`called ${name}\n`).length - 1,
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

const capabilities = { elicitation: { form: {} } }

describe('a stateless client in front of a server with sessions', () => {
  it('has its write sent once, however it comes back', async () => {
    await using served = await openAsking()
    const params = { name: 'a__ask', arguments: { word: 'w' } }
    const call = (person: string, more = {}) =>
      ask(served, 'tools/call', { ...params, ...more }, { capabilities, headers: { 'x-person': person } })
    const { result } = await call('ann')
    expect(result).toMatchObject({ resultType: 'input_required' })
    const [key = ''] = Object.keys(result?.inputRequests as object)
    const reply = {
      requestState: String(result?.requestState),
      inputResponses: { [key]: { action: 'accept', content: { word: 'mine' } } },
    }
    expect((await call('bob', reply)).error?.code).toBe(-32602)
    const ends = await Promise.all([call('ann', reply), call('ann', reply)])
    expect(ends.filter(({ result: end }) => JSON.stringify(end)?.includes('mine'))).toHaveLength(1)
    expect(ends.filter(({ error }) => error?.code === -32602)).toHaveLength(1)
    expect(await served.called('ask')).toBe(1)
  })

  it('R-SEC-05 is asked for its own calls only: 2 principals, 10 calls each, all at once', async () => {
    await using served = await openAsking()
    const clients = await Promise.all(
      ['ann', 'bob'].map(async (id) => {
        const asked: string[] = []
        const client = new Client(
          { name: 'same', version: '1' },
          { capabilities, versionNegotiation: { mode: { pin: revision } } },
        )
        client.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message)
          return { action: 'accept', content: { word: `${params.message} by ${id}` } }
        })
        const requestInit = { headers: { 'x-person': id } }
        await client.connect(new StreamableHTTPClientTransport(new URL(`${served.origin}/mcp`), { requestInit }))
        return { id, client, asked }
      }),
    )
    const calls = clients.flatMap(({ id, client }) =>
      Array.from({ length: 10 }, async (_, at) => {
        const word = `${id} ${at}`
        const { content } = await client.callTool({ name: 'a__ask', arguments: { word } })
        expect(JSON.stringify(content)).toContain(`${word} by ${id}`)
      }),
    )
    await Promise.all(calls)
    for (const { id, asked } of clients) {
      expect(asked.filter((message) => !message.includes(`${id} `))).toEqual([])
      expect(asked).toHaveLength(10)
    }
    expect(await served.called('ask')).toBe(20)
    await Promise.all(clients.map(({ client }) => client.close()))
  })
})
