import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createHost, createMemoryStore, createSqliteStore, type Host, localUser, type Store } from '@rollcall/host'
import { loadConfig, toHostOptions } from '@rollcall/host/config'
import { createMcp } from '@rollcall/mcp'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runInProcess } from '../../packages/cli/test/in-process.ts'
import { makeProject, type Project, pluginFiles } from '../../packages/cli/test/project.ts'

const runs = Number(process.env.FACES_RUNS ?? 12)
const tool = (name: string, words: string) =>
  `defineTool({ name: '${name}', description: 'Does ${name}.', input: Type.Object({ to: Type.Optional(Type.String()) }), ${words}, execute: () => '${name} done' })`
const tools = [
  tool('look', "effect: 'read', dataClass: 'publicContent'"),
  tool('code', "effect: 'read', dataClass: 'sourceCode'"),
  tool('vault', "effect: 'read', dataClass: 'secretAdjacent'"),
  tool('admin', "effect: 'read', dataClass: 'publicContent', adminOnly: true"),
  tool('save', "effect: 'write', dataClass: 'publicContent'"),
  tool('post', "effect: 'idempotentWrite', dataClass: 'publicContent', approval: 'notNeeded'"),
  tool('maybe', "effect: 'read', dataClass: 'publicContent', approval: { when: ({ to }) => to === 'boss' }"),
]
const names = ['look', 'code', 'vault', 'admin', 'save', 'post', 'maybe', 'absent']

let project: Project
beforeAll(async () => {
  project = await makeProject(pluginFiles('demo', tools.join(', ')))
})
afterAll(() => project[Symbol.asyncDispose]())

/** What is random: the operator's words, the switches, and two calls one after the other. */
const anyCase = fc.record({
  zone: fc.constantFrom('local', 'privateHosted', 'externalEu', 'externalGlobal'),
  allow: fc.option(fc.subarray(['demo__*', '!demo__save', 'group:demo', 'demo__look', 'x__*']), { nil: undefined }),
  zoneMode: fc.constantFrom('enforce', 'observe'),
  target: fc.constantFrom('local', 'externalGlobal'),
  rules: fc.subarray([
    { when: { tool: 'demo__*', effect: 'write' }, then: 'allow' },
    { when: { tool: 'demo__look', args: { properties: { to: { const: 'boss' } }, required: ['to'] } }, then: 'deny' },
    { when: { group: 'demo', taint: 'sourceCode' }, then: 'ask', reason: 'it has read code' },
    { when: { origin: 'demo__vault' }, then: 'deny' },
    { when: { tool: 'demo__post' }, then: 'ask' },
  ]),
  on: fc.subarray(['save', 'post']),
  calls: fc.tuple(
    ...[0, 1].map(() =>
      fc.record({ name: fc.constantFrom(...names), args: fc.constantFrom({}, { to: 'boss' }, { to: 7 }) }),
    ),
  ),
})
type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never
type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>

it('R-GOV-80 R-SEC-14 verdict and record of a call are the same from the library, the command, MCP over stdio and MCP over HTTP', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(anyCase, async (one) => {
      await configure(one)
      const records = {
        library: await inHost(one, (host) => use(one, (name, args) => host.tools.call(name, args, who))),
        http: await inHost(one, (host) => overHttp(host, (call) => use(one, call))),
        stdio: await inHost(one, (host) => overStdio(host, (call) => use(one, call))),
        command: await byCommand(one),
      }
      for (const face of ['http', 'stdio', 'command'] as const)
        expect([face, records[face]]).toEqual([face, records.library])
      compared += records.library.length
    }),
    { numRuns: runs },
  )
  expect(compared).toBeGreaterThan(runs)
}, 240_000)

const who = { principal: localUser, profile: 'p' }

async function configure({ zone, allow, zoneMode, target, rules }: Case): Promise<void> {
  const profile = { zone, zoneMode, serve: true, approvals: { waitMs: 1 }, ...(allow && { allow }) }
  await project.write({
    'rollcall.config.json': {
      plugins: ['./plugins/demo'],
      profiles: { p: profile },
      providers: { demo: { zone: target } },
      rules,
    },
  })
  await rm(join(project.folder, '.rollcall'), { recursive: true, force: true })
}

async function use({ calls }: Case, call: Call): Promise<void> {
  for (const { name, args } of calls) await call(`demo__${name}`, args).catch(() => {})
}

async function inHost({ on }: Case, task: (host: Host) => Promise<void>): Promise<readonly unknown[]> {
  const loaded = await loadConfig({
    cwd: project.folder,
    env: project.env,
    file: join(project.folder, 'rollcall.config.json'),
  })
  const store = createMemoryStore()
  await using host = await createHost(toHostOptions(loaded, { env: project.env, store }))
  for (const name of on) await host.switches.enable({ kind: 'tool', name: `demo__${name}` }, 'test')
  await task(host)
  return await recordsOf(store)
}

async function byCommand({ on, calls }: Case): Promise<readonly unknown[]> {
  for (const name of on) await runInProcess(project, ['enable', `demo__${name}`])
  for (const { name, args } of calls)
    await runInProcess(project, ['call', `demo__${name}`, JSON.stringify(args), '--profile', 'p'])
  await using store = await createSqliteStore({ file: join(project.folder, '.rollcall/rollcall.db') })
  return await recordsOf(store)
}

async function overHttp(host: Host, task: (call: Call) => Promise<void>): Promise<void> {
  await using mcp = createMcp({ lockFile: join(project.folder, 'rollcall.lock.json'), folder: project.folder })
  const face = mcp.serve(host, { profiles: ['p'], authenticate: async () => ({ principal: localUser }) })
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp/p'), {
    fetch: (url, init) => face.fetch(new Request(url, withHost(init)), { remoteAddress: '127.0.0.1' }),
  })
  await withClient(transport, task)
  await face[Symbol.asyncDispose]()
}

function withHost(init: RequestInit | undefined): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('host', '127.0.0.1')
  return { ...init, headers }
}

async function overStdio(host: Host, task: (call: Call) => Promise<void>): Promise<void> {
  await using mcp = createMcp({ lockFile: join(project.folder, 'rollcall.lock.json'), folder: project.folder })
  const input = new PassThrough()
  const output = new PassThrough()
  const over = mcp.serveStdio(host, { profile: 'p', principal: localUser, input, output })
  let rest = ''
  const transport: Transport = {
    async start() {
      output.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) transport.onmessage?.(JSON.parse(line))
      })
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      input.end()
      transport.onclose?.()
    },
  }
  await withClient(transport, task)
  await over
}

async function withClient(transport: Transport, task: (call: Call) => Promise<void>): Promise<void> {
  const client = new Client({ name: 'tester', version: '1' })
  await client.connect(transport)
  await task((name, args) => client.callTool({ name, arguments: args }))
  await client.close()
}

/** What is recorded of each call, without what differs between any two calls. */
async function recordsOf(store: Store): Promise<readonly unknown[]> {
  const records: unknown[] = []
  for (const { stream } of await store.heads({ kind: 'call' })) {
    for await (const { event } of store.read(stream)) {
      const {
        callId: _id,
        args: _args,
        durationMs: _ms,
        expiresAt: _at,
        until: _until,
        ...rest
      } = event as unknown as Record<string, unknown>
      records.push(rest)
    }
  }
  return records
}
