import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { createHost, createMemoryStore, type Host, localClient, localUser, type Store } from '@rollcall/host'
import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { createFace } from '../../src/serve/create-face.ts'
import { createKeylessAuthenticate } from '../../src/serve/keyless.ts'
import { listen } from './listen.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const written: string[] = []
const long = Array.from({ length: 200 }, (_, index) => `line ${index} äöü`).join('\n')

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
    const long_ = defineTool({
      name: 'long',
      description: 'Says a lot.',
      effect: 'read',
      dataClass: 'publicContent',
      execute: () => long,
    })
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [write, long_] }))
  },
})

interface Served {
  readonly host: Host
  connect(name?: string): Promise<(name: string, args?: Record<string, unknown>) => Promise<CallToolResult>>
}

async function served(store: Store = createMemoryStore()): Promise<Served> {
  written.length = 0
  const host = await createHost({
    store,
    plugins: [{ appId: 'notes', plugin: notes }],
    profiles: [{ name: 'default', zone: 'externalGlobal', resultBytes: 1_000, approvals: { waitMs: 30 } }],
  })
  open.push(host)
  await host.switches.enable({ kind: 'tool', name: 'notes__write' }, 'local-user')
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(createFace(host, { profiles: [], authenticate }))
  open.push(listening)
  return {
    host,
    async connect(name = 'tester') {
      const client = new Client({ name, version: '1' })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${listening.origin}/mcp`)))
      open.push({ [Symbol.asyncDispose]: () => client.close() })
      return async (tool, args = {}) => (await client.callTool({ name: tool, arguments: args })) as CallToolResult
    },
  }
}

const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
const handleIn = ({ _meta }: CallToolResult) => _meta?.['rollcall/handle']
const codeIn = ({ _meta }: CallToolResult) => _meta?.['rollcall/code']

async function decide(host: Host, approved: boolean): Promise<void> {
  const [approval] = await host.tools.pending(localUser)
  if (approval === undefined) throw new TypeError('nothing waits')
  const { pending } = approval
  await host.tools.answer(pending, { kind: 'approval', approved, binds: pending.binds }, localUser)
}

describe('a call that waits longer than its client', () => {
  it('R-GOV-70 is waited for again by a handle that shows no id, and its outcome is got once it was approved', async () => {
    const { host, connect } = await served()
    const call = await connect()
    const waiting = await call('notes__write', { text: 'milk' })
    expect(waiting).toMatchObject({ isError: true })
    expect(codeIn(waiting)).toBe('APPROVAL_PENDING')
    const handle = handleIn(waiting)
    const [approval] = await host.tools.pending(localUser)
    const bare = `${textOf(waiting)} ${Buffer.from(String(handle), 'base64url').toString('latin1')}`
    expect(bare).not.toContain(approval?.pending.callId ?? '-')
    expect(textOf(waiting)).not.toContain('rollcall approve')
    expect(codeIn(await call('rollcall__await', { handle }))).toBe('APPROVAL_PENDING')
    await decide(host, true)
    await expect.poll(() => written).toEqual(['milk'])
    expect(await call('rollcall__await', { handle })).toMatchObject({ content: [{ text: 'written milk' }] })
    expect(await call('rollcall__await', { handle })).toMatchObject({ content: [{ text: 'written milk' }] })
    expect(written).toEqual(['milk'])
  })

  it('R-GOV-70 a handle of another client, a changed one and nonsense look alike', async () => {
    const { connect } = await served()
    const call = await connect()
    const stranger = await connect('stranger')
    const handle = String(handleIn(await call('notes__write', { text: 'milk' })))
    const changed = `${handle.slice(0, -3)}${handle.endsWith('AAA') ? 'BBB' : 'AAA'}`
    const answers = [
      await stranger('rollcall__await', { handle }),
      await call('rollcall__await', { handle: changed }),
      await call('rollcall__await', { handle: 'nonsense' }),
      await call('rollcall__await', {}),
    ]
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0] && codeIn(answers[0])).toBe('APPROVAL_NOT_FOUND')
  })

  it('R-SEC-10 R-GOV-71 an equal call joins it, from another session too, and gets its outcome for a while', async () => {
    const { host, connect } = await served()
    const one = await connect()
    const other = await connect()
    const stranger = await connect('stranger')
    await Promise.all([one('notes__write', { text: 'milk' }), other('notes__write', { text: 'milk' })])
    expect(await host.tools.pending(localUser)).toHaveLength(1)
    await decide(host, true)
    await expect.poll(() => written).toEqual(['milk'])
    expect(await other('notes__write', { text: 'milk' })).toMatchObject({ content: [{ text: 'written milk' }] })
    expect(codeIn(await stranger('notes__write', { text: 'milk' }))).toBe('APPROVAL_PENDING')
    expect(codeIn(await one('notes__write', { text: 'bread' }))).toBe('APPROVAL_PENDING')
    expect(written).toEqual(['milk'])
  })

  it('R-GOV-71 a denied one is denied again, without asking the person twice', async () => {
    const { host, connect } = await served()
    const call = await connect()
    await call('notes__write', { text: 'milk' })
    await decide(host, false)
    expect(codeIn(await call('notes__write', { text: 'milk' }))).toBe('APPROVAL_DENIED')
    expect(await host.tools.pending(localUser)).toEqual([])
  })
})

describe('a result that is longer than a model gets at once', () => {
  it('R-GOV-50 is cut at a character, with the way to the rest, which gives all of it', async () => {
    const { connect } = await served()
    const call = await connect()
    const cut = await call('notes__long')
    expect(cut._meta?.['rollcall/cut']).toEqual({ bytes: Buffer.byteLength(long) })
    const [first, note] = cut.content.map((block) => (block.type === 'text' ? block.text : ''))
    expect(long.startsWith(first ?? '-')).toBe(true)
    expect(Buffer.byteLength(first ?? '')).toBeLessThanOrEqual(1_000)
    const handle = /"handle":"([^"]+)"/.exec(note ?? '')?.[1]
    let read = ''
    for (let round = 0; read.length < long.length && round < 20; round++) {
      const page = await call('rollcall__read_result', { handle, offset: read.length })
      read += page.content[0]?.type === 'text' ? page.content[0].text : ''
    }
    expect(read).toBe(long)
    expect(textOf(await call('rollcall__read_result', { handle, find: 'LINE 77 ' }))).toContain('78: line 77 äöü')
  })

  it('R-SEC-13 R-GOV-51 is read by its owner alone, and only while the tool it came from may be used', async () => {
    const { host, connect } = await served()
    const call = await connect()
    const stranger = await connect('stranger')
    const handle = /"handle":"([^"]+)"/.exec(textOf(await call('notes__long')))?.[1]
    expect(codeIn(await stranger('rollcall__read_result', { handle }))).toBe('RESULT_NOT_FOUND')
    expect(codeIn(await call('rollcall__read_result', { handle: 'nonsense' }))).toBe('RESULT_NOT_FOUND')
    expect(codeIn(await call('rollcall__read_result', { handle, offset: -1 }))).toBe('TOOL_ARGUMENTS_INVALID')
    await host.switches.disable({ kind: 'tool', name: 'notes__long' }, 'local-user')
    await expect(call('rollcall__read_result', { handle })).rejects.toThrow('Unknown tool')
  })
})
