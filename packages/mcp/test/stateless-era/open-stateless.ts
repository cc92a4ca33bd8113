import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@rollcall/plugin'
import { silentLogger } from '@rollcall/plugin'
import { createOutboundFetch } from '../../../host/src/outbound/create-outbound-fetch.ts'
import type { ResolvedHttp, ResolvedServer, ResolvedStdio } from '../../src/declaration/resolved-server.ts'
import { type ConnectPeerOptions, connectPeer } from '../../src/peer/connect-peer.ts'
import type { McpPeer, PeerAnswer, PeerRequestOptions } from '../../src/peer/mcp-peer.ts'
import { fixtures } from '../open-project.ts'

export const token = 'TOKEN-canary-1234'

/** One server that can be connected to, and what it noted down. */
export interface TestServer extends AsyncDisposable {
  readonly resolved: ResolvedServer
  log(): Promise<readonly string[]>
  connect(options?: Partial<ConnectPeerOptions>): Promise<McpPeer>
}

/** The fixture `<name>.mjs` as a declared server: as a child over stdio, or a process of its own over HTTP. */
export async function openServer(
  kind: 'stdio' | 'http',
  options: {
    readonly name?: string
    readonly env?: Readonly<Record<string, string>>
    /** Whoever listens there; nothing is started. */
    readonly url?: URL
  } = {},
): Promise<TestServer> {
  const { name = `stateless-${kind}`, env = {} } = options
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-stateless-'))
  const logFile = join(folder, 'log.txt')
  const path = join(fixtures, `${name}.mjs`)
  const all = { PATH: process.env.PATH ?? '', LOG_FILE: logFile, TOKEN: token, ...env }
  const open = async () => {
    if (options.url !== undefined) return { resolved: httpAt(options.url), stop: async () => {} }
    return kind === 'stdio' ? stdioServer(path, folder, all) : httpServer(path, folder, all)
  }
  const opened = await open()
  const outbound = createOutboundFetch()
  const peers: McpPeer[] = []
  return {
    resolved: opened.resolved,
    log: async () => (await readFile(logFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    async connect(more = {}) {
      const peer = await connectPeer(opened.resolved, {
        clientCapabilities: {},
        protocol: 'stateless',
        fetch: outbound.fetch,
        logger: silentLogger,
        signal: new AbortController().signal,
        connectTimeoutMs: 20_000,
        maxMessageBytes: 1_000_000,
        ...more,
      })
      peers.push(peer)
      return peer
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()))
      await opened.stop()
      await outbound[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Calls a tool. */
export function callTool(
  peer: McpPeer,
  name: string,
  args: JsonObject = {},
  options: Partial<PeerRequestOptions> = {},
): Promise<PeerAnswer> {
  return ask(peer, 'tools/call', { name, arguments: args }, options)
}

export function ask(
  peer: McpPeer,
  method: string,
  params: JsonObject = {},
  options: Partial<PeerRequestOptions> = {},
): Promise<PeerAnswer> {
  return peer.request(method, params, { signal: new AbortController().signal, timeoutMs: 15_000, ...options })
}

/** The text of a tool's answer. */
export function textIn(answer: PeerAnswer): string {
  const content = answer.ok ? answer.result.content : undefined
  const [first] = Array.isArray(content) ? content : []
  return typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : JSON.stringify(answer)
}

function stdioServer(path: string, cwd: string, env: Readonly<Record<string, string>>) {
  const resolved: ResolvedStdio = {
    kind: 'stdio',
    name: 'fixture',
    secrets: [token],
    command: 'node',
    args: [path],
    cwd,
    env,
  }
  return { resolved, stop: async () => {} }
}

async function httpServer(path: string, cwd: string, env: Readonly<Record<string, string>>) {
  // It ends with its input, so also when this process is gone.
  const child = spawn(process.execPath, [path], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [port] = await once(child.stdout, 'data')
  const resolved = httpAt(new URL(`http://127.0.0.1:${String(port).trim()}/mcp`))
  return {
    resolved,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function httpAt(url: URL): ResolvedHttp {
  return { kind: 'http', name: 'fixture', secrets: [token], url, headers: {}, allowPrivate: true, transport: undefined }
}
