import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  createHost,
  createMemoryStore,
  type Host,
  localClient,
  localUser,
  type ProviderEntry,
  type Store,
  type ToolOutcome,
} from '@rollcall/host'
import { createKeylessAuthenticate, createMcp, type Mcp, type McpOptions } from '@rollcall/mcp'
import { expect } from 'vitest'
import { listen } from '../../packages/mcp/test/serve/listen.ts'

/** What the operator says about a server of a case: nothing stands between but the server itself. */
export const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' } as const

/** A host in front of the servers of a case. */
export interface OpenCase extends AsyncDisposable {
  readonly host: Host
  readonly mcp: Mcp
  readonly store: Store
  call(tool: string, args?: object): Promise<ToolOutcome>
  /** Waits until no server is being listed for the first time any more. */
  settled(): Promise<void>
}

/** A folder with a lock file; what is opened in it one after another are restarts. */
export interface CaseFolder extends AsyncDisposable {
  /** Real path. */
  readonly folder: string
  open(providers: Readonly<Record<string, ProviderEntry>>, options?: Partial<McpOptions>): Promise<OpenCase>
}

/** Makes an empty folder: nothing is pinned. */
export async function openCaseFolder(): Promise<CaseFolder> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-case-')))
  return {
    folder,
    async open(providers, options = {}) {
      const env = { ...process.env, CI: '' }
      const mcp = createMcp({ lockFile: join(folder, 'rollcall.lock.json'), folder, env, ...options })
      const store = createMemoryStore()
      const host = await createHost({ providers, connectMcp: mcp.connect, store })
      const isStarting = () => host.report().providers.some(({ from }) => from.endsWith('starting'))
      return {
        host,
        mcp,
        store,
        call: (tool, args = {}) => host.tools.call(tool, args, { principal: localUser }),
        settled: () => expect.poll(isStarting, { timeout: 20_000, interval: 20 }).toBe(false),
        async [Symbol.asyncDispose]() {
          await host[Symbol.asyncDispose]()
          await mcp[Symbol.asyncDispose]()
          await store[Symbol.asyncDispose]()
        },
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A server of a case, by its folder. */
export function serverIn(folder: string, env: Readonly<Record<string, string>> = {}): ProviderEntry {
  return { ...words, server: { command: 'node', args: [join(folder, 'server.mjs')], env } }
}

/** The servers of a case's configuration, with these changes to their environments. */
export async function serversIn(
  folder: string,
  changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<Readonly<Record<string, ProviderEntry>>> {
  const { mcpServers } = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as DesktopConfig
  return Object.fromEntries(
    Object.entries(mcpServers).map(([id, { env }]) => [id, serverIn(folder, { ...env, ...changes[id] })]),
  )
}

interface DesktopConfig {
  readonly mcpServers: Readonly<Record<string, { readonly env: Readonly<Record<string, string>> }>>
}

/** An MCP client of the host's own face, over a real socket. */
export async function openClient({ host, mcp }: OpenCase): Promise<AsyncDisposable & { readonly client: Client }> {
  const authenticate = createKeylessAuthenticate({ boundTo: '127.0.0.1', profiles: [], principal: localClient })
  const listening = await listen(mcp.serve(host, { profiles: ['default'], authenticate }))
  const client = new Client({ name: 'case', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', listening.origin)))
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      await listening[Symbol.asyncDispose]()
    },
  }
}
