import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { createHost, type Host, localClient, localUser } from '@rollcall/host'
import { ApprovalRequested, definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { createFace } from '../../src/serve/create-face.ts'
import { createKeylessAuthenticate } from '../../src/serve/keyless.ts'
import { listen } from './listen.ts'
import { until } from './until.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const written: string[] = []
let aborted = 0

const notes = definePlugin({
  setup({ on }) {
    const search = defineTool({
      name: 'search',
      title: 'Search notes',
      description: 'Finds notes by a word.',
      input: Type.Object({ word: Type.String() }),
      output: Type.Object({ hits: Type.Array(Type.String()) }),
      effect: 'read',
      dataClass: 'publicContent',
      execute({ word }, { progress }) {
        progress(1, 2, 'half-way')
        return { structured: { hits: [word] } }
      },
    })
    const write = defineTool({
      name: 'write',
      description: 'Writes a note.',
      input: Type.Object({ text: Type.String() }),
      effect: 'write',
      dataClass: 'publicContent',
      execute({ text }) {
        written.push(text)
        return 'written'
      },
    })
    const secret = defineTool({
      name: 'secret',
      description: 'Reads a secret.',
      input: Type.Object({ key: Type.String() }),
      effect: 'read',
      dataClass: 'secretAdjacent',
      execute: () => 'hunter2',
    })
    const slow = defineTool({
      name: 'slow',
      description: 'Takes for ever.',
      effect: 'read',
      dataClass: 'publicContent',
      execute: (_, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            aborted += 1
            resolve('stopped')
          })
        }),
    })
    const broken = defineTool({
      name: 'broken',
      description: 'Throws.',
      effect: 'read',
      dataClass: 'publicContent',
      execute() {
        throw new TypeError('the disk is full')
      },
    })
    on(RegisterToolProvidersEvent, (event) =>
      event.announce({ kind: 'builtin', tools: [search, write, secret, slow, broken] }),
    )
  },
})

async function served(waitMs?: number): Promise<{ host: Host; client: Client; hasStream: () => boolean }> {
  const host = await createHost({
    plugins: [{ appId: 'notes', plugin: notes }],
    ...(waitMs !== undefined && { profiles: [{ name: 'default', zone: 'externalGlobal', approvals: { waitMs } }] }),
  })
  open.push(host)
  await host.switches.enable({ kind: 'tool', name: 'notes__write' }, 'local-user')
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(createFace(host, { profiles: [], authenticate }))
  open.push(listening)
  const client = new Client({ name: 'tester', version: '1' })
  let hasStream = false
  const transport = new StreamableHTTPClientTransport(new URL(`${listening.origin}/mcp`), {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'GET' && response.ok) hasStream = true
      return response
    },
  })
  await client.connect(transport)
  open.push({ [Symbol.asyncDispose]: () => client.close() })
  return { host, client, hasStream: () => hasStream }
}

describe('an MCP client in front of a whole host', () => {
  it('sees what its profile may see, and calls it', async () => {
    const { client } = await served()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'notes__search',
      'notes__write',
      'notes__slow',
      'notes__broken',
      'rollcall__await',
      'rollcall__read_result',
    ])
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(client.getInstructions()).toContain('2 tools are hidden from the profile default')

    const seen: unknown[] = []
    const result = await client.callTool({ name: 'notes__search', arguments: { word: 'tea' } }, CallToolResultSchema, {
      onprogress: (progress) => seen.push(progress),
    })
    expect(result).toMatchObject({
      structuredContent: { hits: ['tea'] },
      content: [{ type: 'text', text: '{"hits":["tea"]}' }],
    })
    expect(result.isError).toBeUndefined()
    expect(seen).toMatchObject([{ progress: 1, total: 2, message: 'half-way' }])
  })

  it('gets coded results for what went wrong in a call that it may make', async () => {
    const { client } = await served()
    expect(await client.callTool({ name: 'notes__search', arguments: { word: 7 } })).toMatchObject({
      isError: true,
      _meta: { 'rollcall/code': 'TOOL_ARGUMENTS_INVALID' },
    })
    expect(await client.callTool({ name: 'notes__broken' })).toMatchObject({
      isError: true,
      _meta: { 'rollcall/code': 'TOOL_FAILED' },
    })
  })

  it('can not tell a forbidden tool from one that does not exist', async () => {
    const { client } = await served()
    const refusals = []
    for (const name of ['notes__secret', 'notes__absent', 'rollcall__status']) {
      for (const args of [{}, { key: 'a' }]) {
        const error: Error = await client.callTool({ name, arguments: args }).then(
          () => expect.unreachable('the call is refused'),
          (reason) => reason,
        )
        refusals.push({ ...error, message: error.message.replace(name, '<name>') })
      }
    }
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1)
    expect(refusals[0]).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown tool: <name>') })
  })

  it('gets the result of a write that a person approves while it waits', async () => {
    const { host, client } = await served()
    host.on(ApprovalRequested, async () => {
      const [approval] = await host.tools.pending(localUser)
      if (approval === undefined) expect.unreachable('the call waits')
      const { pending } = approval
      await host.tools.answer(pending, { kind: 'approval', approved: true, binds: pending.binds }, localUser)
    })
    const result = await client.callTool({ name: 'notes__write', arguments: { text: 'approved' } })
    expect(result).toMatchObject({ content: [{ text: 'written' }] })
    expect(written).toEqual(['approved'])
  })

  it('learns that a write was denied, or still waits, and can not decide it', async () => {
    const { host, client } = await served(50)
    const pending = await client.callTool({ name: 'notes__write', arguments: { text: 'pending' } })
    expect(pending).toMatchObject({ isError: true, _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    const [approval] = await host.tools.pending(localUser)
    expect(JSON.stringify(pending)).not.toContain(approval?.pending.callId)

    host.on(ApprovalRequested, async (fact) => {
      const waiting = (await host.tools.pending(localUser)).find((one) => one.pending.callId === fact.callId)?.pending
      if (waiting === undefined) expect.unreachable('the call waits')
      await host.tools.answer(waiting, { kind: 'approval', approved: false, binds: waiting.binds }, localUser)
    })
    const denied = await client.callTool({ name: 'notes__write', arguments: { text: 'denied' } })
    expect(denied).toMatchObject({ isError: true, _meta: { 'rollcall/code': 'APPROVAL_DENIED' } })
    expect(written).not.toContain('denied')
    expect(written).not.toContain('pending')
  })

  it('stops the tool by cancelling its call', async () => {
    const { client } = await served()
    const cancel = new AbortController()
    const before = aborted
    const call = client.callTool({ name: 'notes__slow' }, CallToolResultSchema, { signal: cancel.signal })
    await client.listTools()
    cancel.abort()
    await expect(call).rejects.toThrow()
    await until(() => aborted > before)
  })

  it('is told when a switch takes a tool away', async () => {
    const { host, client, hasStream } = await served()
    const told: number[] = []
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push(1))
    await until(hasStream)
    await host.switches.disable({ kind: 'tool', name: 'notes__slow' }, 'local-user')
    await until(() => told.length === 1)
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('notes__slow')
  })
})
