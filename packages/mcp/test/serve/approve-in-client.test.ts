import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createHost, type Host, localClient, localUser } from '@rollcall/host'
import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { createFace } from '../../src/serve/create-face.ts'
import { createKeylessAuthenticate } from '../../src/serve/keyless.ts'
import { listen } from './listen.ts'
import { revision } from './stateless-clients.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const written: string[] = []
const notes = definePlugin({
  setup({ on }) {
    const write = defineTool({
      name: 'write',
      description: 'Writes a note.',
      input: Type.Object({ text: Type.String() }),
      effect: 'write',
      dataClass: 'publicContent',
      execute({ text }) {
        written.push(text)
        return `written ${text}`
      },
    })
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [write] }))
  },
})

type Reply = (message: string) => { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> }
type Call = (text: string) => Promise<unknown>

async function served(): Promise<{ readonly host: Host; readonly url: URL }> {
  written.length = 0
  const host = await createHost({
    plugins: [{ appId: 'notes', plugin: notes }],
    profiles: [
      {
        name: 'default',
        zone: 'externalGlobal',
        approvals: { waitMs: 300, channels: ['cli', 'elicitation'], clients: ['editor'] },
      },
    ],
  })
  open.push(host)
  await host.switches.enable({ kind: 'tool', name: 'notes__write' }, 'local-user')
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(createFace(host, { profiles: [], authenticate }))
  open.push(listening)
  return { host, url: new URL(`${listening.origin}/mcp`) }
}

const eras: Readonly<Record<string, (url: URL, name: string, asked: string[], reply: Reply) => Promise<Call>>> = {
  async sessions(url, name, asked, reply) {
    const client = new Client({ name, version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
      asked.push(message)
      return reply(message)
    })
    await client.connect(new StreamableHTTPClientTransport(url))
    open.push({ [Symbol.asyncDispose]: () => client.close() })
    return (text) => client.callTool({ name: 'notes__write', arguments: { text } })
  },
  async 'no sessions'(url, name, asked, reply) {
    const client = new StatelessClient(
      { name, version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: revision } } },
    )
    client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
      asked.push(message)
      return reply(message)
    })
    await client.connect(new StatelessTransport(url))
    open.push({ [Symbol.asyncDispose]: () => client.close() })
    return (text) => client.callTool({ name: 'notes__write', arguments: { text } })
  },
}

const codeIn = (message: string) => /code is ([A-Z2-9]{4})\./.exec(message)?.[1] ?? ''

describe.each(Object.entries(eras))('a client of the revisions with %s that the operator named', (_era, connect) => {
  it('R-GOV-45 puts the card before its person, and the code on it runs the call once', async () => {
    const { url } = await served()
    const asked: string[] = []
    const call = await connect(url, 'editor', asked, (message) => ({
      action: 'accept',
      content: { code: codeIn(message) },
    }))
    expect(await call('milk')).toMatchObject({ content: [{ text: 'written milk' }] })
    expect(written).toEqual(['milk'])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('    text: "milk"')
    // A model may read the form: it learns neither the id of what waits nor a command.
    expect(asked[0]).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|rollcall approve/)
  })

  it('R-SEC-09 approves nothing by accepting whatever it is asked', async () => {
    const { host, url } = await served()
    const asked: string[] = []
    const call = await connect(url, 'editor', asked, () => ({ action: 'accept', content: { code: 'YES' } }))
    expect(await call('milk')).toMatchObject({ _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    expect(asked).toHaveLength(1)
    expect(written).toEqual([])
    expect(await host.tools.pending(localUser)).toHaveLength(1)
  })

  it('R-GOV-45 is told that its person declined', async () => {
    const { url } = await served()
    const call = await connect(url, 'editor', [], () => ({ action: 'decline' }))
    expect(await call('milk')).toMatchObject({ isError: true, _meta: { 'rollcall/code': 'APPROVAL_DENIED' } })
    expect(written).toEqual([])
  })

  it('R-SEC-09 of another name is asked nothing', async () => {
    const { url } = await served()
    const asked: string[] = []
    const call = await connect(url, 'agent', asked, (message) => ({
      action: 'accept',
      content: { code: codeIn(message) },
    }))
    expect(await call('milk')).toMatchObject({ _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    expect(asked).toEqual([])
    expect(written).toEqual([])
  })
})
