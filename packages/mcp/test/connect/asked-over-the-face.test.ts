import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createHost } from '@rollcall/host'
import type { Principal } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { until } from '../observe.ts'
import { fixture, openProject } from '../open-project.ts'
import { listen } from '../serve/listen.ts'

describe('a question of a shared server behind the whole host', () => {
  it('R-SEC-05 reaches the client whose call asks it: 2 sessions, 50 calls each, 25 at once', async () => {
    await using project = await openProject()
    const mcp = project.start()
    await using host = await createHost({
      connectMcp: mcp.connect,
      providers: {
        a: {
          server: fixture('asking-server', { LOG_FILE: project.logFile }),
          dataClass: 'publicContent',
          effect: 'read',
          approval: 'notNeeded',
        },
      },
    })
    const people = new Map(['ann', 'bob'].map((id) => [id, personOf(id)]))
    await using listening = await listen(
      mcp.serve(host, {
        profiles: [],
        authenticate: async ({ headers }) => {
          const principal = people.get(headers.get('x-person') ?? '')
          return principal && { principal }
        },
      }),
    )
    await until(() => host.tools.list({ principal: personOf('ann'), profile: 'default' }).length > 0)
    const clients = await Promise.all(
      ['ann', 'bob'].map(async (id) => {
        const asked: string[] = []
        const client = new Client({ name: id, version: '1' }, { capabilities: { elicitation: {} } })
        client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
          asked.push(params.message)
          return { action: 'accept', content: { word: `${params.message} by ${id}` } }
        })
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${listening.origin}/mcp`), {
            requestInit: { headers: { 'x-person': id } },
          }),
        )
        return { id, client, asked, close: () => client.close() }
      }),
    )
    // A provider takes 72 calls at a time.
    for (const wave of [0, 25]) {
      const calls = Array.from({ length: 25 }, (_, at) =>
        clients.map(async ({ id, client }) => {
          const word = `${id} ${wave + at}`
          const { content } = await client.callTool({ name: 'a__ask', arguments: { word, delayMs: at % 3 } })
          return { word, id, content }
        }),
      )
      for (const { word, id, content } of await Promise.all(calls.flat())) {
        expect(JSON.stringify(content)).toContain(`${word} by ${id}`)
      }
    }
    for (const { id, asked } of clients) expect(asked.filter((message) => !message.includes(`${id} `))).toEqual([])
    await Promise.all(clients.map(({ close }) => close()))
  })
})

function personOf(id: string): Principal {
  return { kind: 'user', id, person: id, admin: false, scopes: ['tools:call'] }
}
