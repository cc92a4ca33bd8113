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
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: Type.Object({ to: Type.String(), amount: Type.Integer() }),
      asksPerson: Type.Object({ amount: Type.Integer({ minimum: 1 }) }),
      effect: 'write',
      dataClass: 'publicContent',
      execute({ to, amount }) {
        written.push(`${amount} to ${to}`)
        return `paid ${amount}`
      },
    })
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [write, pay] }))
  },
})

type Reply = (message: string) => { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number> }
type Call = (text: string, tool?: string) => Promise<unknown>

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
  for (const name of ['notes__write', 'notes__pay']) await host.switches.enable({ kind: 'tool', name }, 'local-user')
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(createFace(host, { profiles: [], authenticate }))
  open.push(listening)
  return { host, url: new URL(`${listening.origin}/mcp`) }
}

const argumentsOf = (name: string, text: string) => (name === 'notes__pay' ? { to: text, amount: 99 } : { text })

const eras: Readonly<Record<string, (url: URL, name: string, asked: string[], reply: Reply) => Promise<Call>>> = {
  async sessions(url, name, asked, reply) {
    const client = new Client({ name, version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
      asked.push(message)
      return reply(message)
    })
    await client.connect(new StreamableHTTPClientTransport(url))
    open.push({ [Symbol.asyncDispose]: () => client.close() })
    return (text, name = 'notes__write') => client.callTool({ name, arguments: argumentsOf(name, text) })
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
    return (text, name = 'notes__write') => client.callTool({ name, arguments: argumentsOf(name, text) })
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

  it('R-GOV-55 has its person fill in the form of a tool, then approve it, and what the model said for it is dropped', async () => {
    const { url } = await served()
    const asked: string[] = []
    const call = await connect(url, 'editor', asked, (message) => ({
      action: 'accept',
      content: message.includes('code is') ? { code: codeIn(message) } : { amount: 5 },
    }))
    expect(await call('Bob', 'notes__pay')).toMatchObject({ content: [{ text: 'paid 5' }] })
    expect(written).toEqual(['5 to Bob'])
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain('    to: "Bob"')
    expect(asked[0]).not.toContain('99')
    expect(asked[1]).toContain('    amount: 5')
  })

  it('R-GOV-56 leaves the call waiting when the form is filled in wrongly', async () => {
    const { host, url } = await served()
    const call = await connect(url, 'editor', [], () => ({ action: 'accept', content: { amount: -1 } }))
    expect(await call('Bob', 'notes__pay')).toMatchObject({ _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    expect(written).toEqual([])
    expect(await host.tools.pending(localUser)).toMatchObject([{ pending: { kind: 'input' } }])
  })

  it('R-GOV-55 of another name is asked for no values either, and waits for a person elsewhere', async () => {
    const { host, url } = await served()
    const asked: string[] = []
    const call = await connect(url, 'agent', asked, () => ({ action: 'accept', content: { amount: 5 } }))
    expect(await call('Bob', 'notes__pay')).toMatchObject({ _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    expect(asked).toEqual([])
    const [approval] = await host.tools.pending(localUser)
    if (approval?.pending.kind !== 'input') throw new TypeError('nothing waits for input')
    expect(approval.pending.args).toEqual({ to: 'Bob' })
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
