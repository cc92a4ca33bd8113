import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { McpClaim, OpenProvider, ProviderCall, Settings } from '@rollcall/host'
import { digestOf, type Principal, type ServerDeclaration, silentLogger } from '@rollcall/plugin'
import { createOutboundFetch } from '../../host/src/outbound/create-outbound-fetch.ts'
import { createMcp } from '../src/index.ts'
import type { Mcp, McpOptions } from '../src/mcp.ts'
import { memorySettings } from './memory-settings.ts'

export const fixtures = join(import.meta.dirname, 'fixtures')

/** What the host was started with, as on a person's machine. */
export const hostEnvironment: Readonly<Record<string, string | undefined>> = { ...process.env, CI: '' }

/** A server of this folder of fixtures. */
export function fixture(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Extract<ServerDeclaration, { command: string }> {
  return { command: 'node', args: [join(fixtures, `${name}.mjs`)], env }
}

function principal(id: string): Principal {
  return { kind: 'user', id, person: id, admin: false, scopes: ['tools:call'] }
}

/** What a host hands to a provider with a call. */
export function callBy(id = 'ann', more: Partial<ProviderCall> = {}): ProviderCall {
  return {
    principal: principal(id),
    profile: 'direct',
    callId: 'call-1',
    idempotencyKey: 'key-1',
    signal: new AbortController().signal,
    logger: silentLogger,
    definition: digestOf({}),
    timeoutMs: 20_000,
    effect: 'read',
    progress() {},
    ...more,
  }
}

/** A temporary project folder with its lock file, a store that outlives restarts, and the Mcps opened on them. */
export interface Project extends AsyncDisposable {
  readonly folder: string
  readonly lockFile: string
  readonly logFile: string
  readonly settings: Settings
  /** As a new start of the host would: a new Mcp over the same folder and store. */
  start(options?: Partial<McpOptions>): Mcp
  open(mcp: Mcp, appId: string, server: ServerDeclaration, more?: Partial<McpClaim>): Promise<OpenProvider>
  /** What the fixtures wrote down. */
  log(): Promise<readonly string[]>
  write(name: string, value: unknown): Promise<string>
}

export async function openProject(): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-mcp-')))
  const lockFile = join(folder, 'rollcall.lock.json')
  const logFile = join(folder, 'log.txt')
  const settings = memorySettings()
  const started: Mcp[] = []
  const outbound = createOutboundFetch()
  return {
    folder,
    lockFile,
    logFile,
    settings,
    start(options = {}) {
      const mcp = createMcp({ lockFile, folder, env: hostEnvironment, ...options })
      started.push(mcp)
      return mcp
    },
    open: (mcp, appId, server, more = {}) =>
      mcp.connect(
        {
          appId,
          plugin: 'configuration',
          version: '',
          source: 'configured',
          server,
          words: {},
          pin: 'first-use',
          ...more,
        },
        {
          settings,
          logger: silentLogger,
          signal: new AbortController().signal,
          fetch: outbound.fetch,
        },
      ),
    log: async () => (await readFile(logFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    async write(name, value) {
      const path = join(folder, name)
      await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
      return path
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((mcp) => mcp[Symbol.asyncDispose]()))
      await outbound[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
