import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProject, type Project, type Running } from '../../packages/cli/test/project.ts'
import { root } from '../list-files.ts'
import { main } from './scratch.ts'

const allowed = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
const node = (file: string, more: object = {}) => ({ command: 'node', args: [join(root, file)], ...more, ...allowed })
const config = {
  providers: {
    older: node('test/fixtures/conformance-server.mjs', { protocol: 'session' }),
    newer: node('packages/mcp/test/fixtures/stateless-stdio.mjs', { protocol: 'stateless', env: { LEGACY: 'reject' } }),
  },
  profiles: { default: { zone: 'local', serve: true, sampling: true } },
  mcp: { onDrift: 'accept' },
  http: { port: 0 },
}

/** What is offered by a server of each era, and how it asks. */
const upstreams = {
  older: {
    plain: ['older__test_simple_text', {}, 'simple text response'],
    elicits: 'older__test_input_required_result_multi_round',
    elicited: 'Ann likes Ann.',
    samples: 'older__test_input_required_result_sampling',
    roots: 'older__test_input_required_result_list_roots',
    prompt: ['older__test_prompt_with_arguments', { arg1: 'x', arg2: 'y' }, "arg1='x'"],
    resource: ['test://static-text', 'static text resource'],
    change: ['older__test_trigger_tool_change', {}],
  },
  newer: {
    plain: ['newer__echo', { word: 'hello' }, 'hello'],
    elicits: 'newer__interview',
    elicited: '["Ann","Ann","Ann"]',
    samples: 'newer__sample',
    roots: 'newer__roots',
    prompt: ['newer__greet', { whom: 'Ann' }, 'Greet Ann.'],
    resource: ['memo://one', 'Text of memo://one.'],
    change: ['newer__change', { name: 'appeared' }],
  },
} as const

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} }
const person = { action: 'accept' as const, content: { name: 'Ann', color: 'Ann', word: 'Ann' } }
const model = { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'Said by a model.' } }
const folders = { roots: [{ uri: 'file:///somewhere' }] }

/** A client of either era, as far as it is needed here. */
interface Speaker extends AsyncDisposable {
  readonly changes: () => number
  tools(): Promise<readonly string[]>
  call(name: string, args: Record<string, unknown>): Promise<string>
  prompt(name: string, args: Record<string, string>): Promise<string>
  read(uri: string): Promise<string>
}

async function sessionSpeaker(url: URL): Promise<Speaker> {
  const client = new SessionClient({ name: 'older', version: '1' }, { capabilities })
  let changes = 0
  client.setRequestHandler(ElicitRequestSchema, () => person)
  client.setRequestHandler(CreateMessageRequestSchema, () => model)
  client.setRequestHandler(ListRootsRequestSchema, () => folders)
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1
  })
  await client.connect(new SessionTransport(url))
  return speaker(client, () => changes)
}

/** What the stateless client was told. */
const logged: { readonly data: unknown }[] = []
let stateless: StatelessClient | undefined

async function statelessSpeaker(url: URL): Promise<Speaker> {
  const client = new StatelessClient(
    { name: 'newer', version: '1' },
    { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  let changes = 0
  client.setRequestHandler('elicitation/create', () => person)
  client.setRequestHandler('sampling/createMessage', () => model)
  client.setRequestHandler('roots/list', () => folders)
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1
  })
  client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params))
  await client.connect(new StatelessTransport(url))
  stateless = client
  await client.listen({ toolsListChanged: true })
  return speaker(client, () => changes)
}

function speaker(client: SessionClient | StatelessClient, changes: () => number): Speaker {
  return {
    changes,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
    prompt: async (name, args) => JSON.stringify((await client.getPrompt({ name, arguments: args })).messages),
    read: async (uri) => JSON.stringify((await client.readResource({ uri })).contents),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

let project: Project
let serving: Running
const clients: Record<string, Speaker> = {}

beforeAll(async () => {
  project = await makeProject({ 'rollcall.config.json': config })
  serving = project.begin('--config', 'rollcall.config.json', 'serve')
  const [, url = ''] = await serving.output(/(http:\S+\/mcp)\b/)
  clients['2025-11-25'] = await sessionSpeaker(new URL(url))
  clients['2026-07-28'] = await statelessSpeaker(new URL(url))
  // Both servers are listed and pinned in the background.
  const signal = AbortSignal.timeout(30_000)
  for (const tool of ['older__test_simple_text', 'newer__echo']) {
    while (!(await clients['2025-11-25']?.tools())?.includes(tool)) await sleep(50, undefined, { signal })
  }
}, 60_000)

afterAll(async () => {
  for (const client of Object.values(clients)) await client[Symbol.asyncDispose]()
  serving?.child.kill('SIGTERM')
  await serving?.ended
  await project?.[Symbol.asyncDispose]()
})

// First: a server's pipe does not say whose message it is, so it is handed on while only one could be meant.
it('a client of 2026-07-28 hears the log messages that it asks for, from a server of either era', async () => {
  const level = { 'io.modelcontextprotocol/logLevel': 'info' }
  for (const [tool, args] of [
    ['newer__log', { data: 'Logged.' }],
    ['older__test_logging_tool', {}],
  ] as const) {
    const heard = () => logged.map(({ data }) => data)
    await stateless?.callTool({ name: tool, arguments: args })
    expect(heard()).toEqual([])
    await stateless?.callTool({ name: tool, arguments: args, _meta: level })
    expect(heard(), tool).toEqual(['Logged.'])
    logged.length = 0
  }
})

describe.each(['2025-11-25', '2026-07-28'])('a client of %s, through one running service', (revision) => {
  const client = () => clients[revision] ?? expect.unreachable('the client is connected')

  describe.each(Object.entries(upstreams))('reaches a server of the %s era', (_era, upstream) => {
    it('by its tools, prompts and resources', async () => {
      const [name, args, said] = upstream.plain
      expect(await client().call(name, args)).toContain(said)
      const [prompt, words, told] = upstream.prompt
      expect(await client().prompt(prompt, words)).toContain(told)
      const [uri, held] = upstream.resource
      expect(await client().read(uri)).toContain(held)
    })

    it('and answers what that server asks in the middle of a call', async () => {
      expect(JSON.parse(await client().call(upstream.elicits, { word: 'w' }))).toMatchObject([
        { text: upstream.elicited },
      ])
      expect(await client().call(upstream.samples, {})).toContain('Said by a model.')
      expect(await client().call(upstream.roots, {})).toContain('file:///somewhere')
    })
  })
})

it('a client of 2026-07-28 reaches both over standard input and output too', async () => {
  const client = new StatelessClient(
    { name: 'piped', version: '1' },
    { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', () => person)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, '--config', 'rollcall.config.json', 'serve', '--stdio', '--linger', '0'],
      cwd: project.folder,
      env: { ...project.env },
      stderr: 'pipe',
    }),
  )
  await using piped = speaker(client, () => 0)
  for (const { elicits, elicited } of Object.values(upstreams)) {
    expect(JSON.parse(await piped.call(elicits, { word: 'w' }))).toMatchObject([{ text: elicited }])
  }
})

it.each(Object.entries(upstreams))(
  'clients of both eras hear that the list of the %s server changed',
  async (_era, { change }) => {
    const before = Object.values(clients).map(({ changes }) => changes())
    const [name, args] = change
    await clients['2025-11-25']?.call(name, args)
    const heard = () => Object.values(clients).every(({ changes }, index) => changes() > (before[index] ?? 0))
    await expect.poll(heard, { timeout: 15_000 }).toBe(true)
  },
  20_000,
)
