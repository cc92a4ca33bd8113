import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createHost, createMemoryStore, localClient } from '@rollcall/host'
import { createKeylessAuthenticate, createMcp } from '@rollcall/mcp'
import { RollcallError } from '@rollcall/plugin'
import { listen } from '../../../packages/mcp/test/serve/listen.ts'

/** What a client heard and was asked. */
export interface Heard {
  readonly logs: { readonly level: string; readonly data: unknown }[]
  readonly updates: string[]
  readonly elicitations: unknown[]
  readonly samplings: unknown[]
  roots: number
}

/** One client straight at the server and one through the gateway, equal in all else. */
export interface Probe extends AsyncDisposable {
  /** The copy of the server that is looked at. */
  readonly appId: string
  readonly upstreams: number
  readonly direct: Client
  readonly client: Client
  readonly heard: Heard
  /** The messages that the looked-at copy was sent through the gateway. */
  overheard(): Promise<readonly { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> }[]>
}

const fixture = join(import.meta.dirname, '../../fixtures/overheard-everything.mjs')
const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' } as const

/** Puts so many copies of one server behind one gateway, all with the same addresses, and looks at the last of them. */
export async function openProbe(upstreams: number): Promise<Probe> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-fidelity-')))
  const ids = Array.from({ length: upstreams }, (_, index) => `ev${index + 1}`)
  const appId = `ev${upstreams}`
  const logOf = (id: string) => join(folder, `${id}.log`)
  const serverOf = (id: string) => ({ command: 'node', args: [fixture], env: { LOG_FILE: logOf(id) } })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))

  const env = { ...process.env, CI: '' }
  const mcp = stack.use(createMcp({ lockFile: join(folder, 'rollcall.lock.json'), folder, env }))
  const store = stack.use(createMemoryStore())
  const host = stack.use(
    await createHost({
      providers: Object.fromEntries(ids.map((id) => [id, { ...words, server: serverOf(id) }])),
      profiles: [{ name: 'default', zone: 'local', sampling: true }],
      connectMcp: mcp.connect,
      store,
    }),
  )
  await poll('every server is listed', async () => {
    const { providers } = host.report()
    return providers.length >= upstreams && providers.every(({ from }) => !from.endsWith('starting'))
  })

  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = stack.use(await listen(mcp.serve(host, { profiles: ['default'], authenticate })))
  const heard = newHeard()
  const client = newClient(heard)
  let hasStream = false
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', listening.origin), {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'GET' && response.ok) hasStream = true
      return response
    },
  })
  await client.connect(transport)
  stack.defer(() => client.close())
  await poll('the stream of the session is open', async () => hasStream)

  const direct = newClient(newHeard())
  const { command, args } = serverOf(appId)
  await direct.connect(
    new StdioClientTransport({
      command,
      args,
      env: { PATH: process.env.PATH ?? '', LOG_FILE: join(folder, 'direct.log') },
    }),
  )
  stack.defer(() => direct.close())

  const opened = stack.move()
  return {
    appId,
    upstreams,
    direct,
    client,
    heard,
    async overheard() {
      const lines = (await readFile(logOf(appId), 'utf8')).split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Looks again and again until something holds. */
export async function poll(what: string, holds: () => Promise<boolean>, limitMs = 45_000): Promise<void> {
  const endsAt = Date.now() + limitMs
  while (!(await holds())) {
    if (Date.now() > endsAt) {
      throw new RollcallError('SERVER_TIMEOUT', `It did not come about in ${limitMs} ms that ${what}.`, {
        hint: 'Look at what the probe was told before.',
      })
    }
    await sleep(20)
  }
}

function newHeard(): Heard {
  return { logs: [], updates: [], elicitations: [], samplings: [], roots: 0 }
}

function newClient(heard: Heard): Client {
  const capabilities = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } }
  const client = new Client({ name: 'fidelity-probe', version: '1.0.0' }, { capabilities })
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    heard.samplings.push(params)
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'a thought of the probe' } }
  })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    heard.elicitations.push(params)
    return { action: 'accept', content: { name: 'Probe Person', check: true } }
  })
  client.setRequestHandler(ListRootsRequestSchema, () => {
    heard.roots += 1
    return { roots: [{ uri: 'file:///srv/probe', name: 'probe' }] }
  })
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, data } }) => {
    heard.logs.push({ level, data })
  })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.updates.push(params.uri)
  })
  return client
}
