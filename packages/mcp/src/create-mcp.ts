import { RollcallError } from '@rollcall/plugin'
import { McpServer } from './connect/mcp-server.ts'
import { type McpSettings, settingsOf } from './declaration/mcp-settings.ts'
import { LockFile } from './lock/lock-file.ts'
import { ServerRecord } from './lock/server-record.ts'
import type { Mcp, McpFace, McpOptions, SyncReport } from './mcp.ts'
import { CallQueue } from './pool/call-queue.ts'
import { refuse } from './serve/http/refuse.ts'

const pinnedAtOnce = 4

/**
 * Makes both directions of MCP over one pool: `connect` opens declared servers as providers, `serve` and `serveStdio`
 * offer a host's tools to MCP clients. Starts nothing by itself.
 *
 * @example
 * await using mcp = createMcp({ lockFile: '/srv/rollcall.lock.json', folder: '/srv' })
 * await using host = await createHost({ connectMcp: mcp.connect })
 */
export function createMcp(options: McpOptions): Mcp {
  const base = settingsOf(options)
  const lockFile = new LockFile(base.lockFile)
  const pinQueue = new CallQueue('first lists', { inFlight: pinnedAtOnce, waiting: Number.POSITIVE_INFINITY })
  const servers = new Set<McpServer>()
  const faces = new Set<McpFace>()
  let isClosed = false

  return {
    async connect(claim, { settings: store, logger, signal, fetch }) {
      if (isClosed) throw closed(claim.appId)
      const mcp: McpSettings = options.logger === undefined ? { ...base, logger } : base
      const record = new ServerRecord(claim, { mcp, store, lockFile })
      const server = new McpServer(claim, { mcp, record, fetch, pinQueue, onDisposed: (gone) => servers.delete(gone) })
      servers.add(server)
      const end = () => void server[Symbol.asyncDispose]()
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
      return server
    },
    serve(host, serveOptions) {
      const face = lateFace({
        load: async () => {
          const { createFace } = await import('./serve/create-face.ts')
          return createFace(host, { ...serveOptions, logger: base.logger })
        },
        onDisposed: () => faces.delete(face),
      })
      faces.add(face)
      return face
    },
    async serveStdio(host, serveOptions) {
      const { serveStdio } = await import('./serve/serve-stdio.ts')
      await serveStdio(host, { ...serveOptions, logger: base.logger })
    },
    async sync(appId, syncOptions) {
      // Of two hosts that opened it, the later one knows the newer declaration.
      const server = [...servers].findLast(({ claim }) => claim.appId === appId)
      return server === undefined ? unknownServer(appId) : server.sync(syncOptions)
    },
    forget: async (appId) => !base.frozen && lockFile.drop(appId),
    servers: () => [...servers].map((server) => server.status()),
    async [Symbol.asyncDispose]() {
      isClosed = true
      await Promise.all([...servers, ...faces].map((part) => part[Symbol.asyncDispose]()))
    },
  }
}

/** The server face is loaded at the first request: who only connects never pays for it. */
function lateFace(parts: { readonly load: () => Promise<McpFace>; readonly onDisposed: () => void }): McpFace {
  let face: Promise<McpFace> | undefined
  let isClosed = false
  return {
    async fetch(request, peer) {
      if (isClosed) return refuse('closed')
      face ??= parts.load()
      return (await face).fetch(request, peer)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      parts.onDisposed()
      await (await face)?.[Symbol.asyncDispose]()
    },
  }
}

function closed(appId: string): RollcallError {
  return new RollcallError('HOST_CLOSED', `${appId} is not connected: this Mcp was disposed.`, {
    hint: 'Make a new one with createMcp.',
  })
}

function unknownServer(appId: string): SyncReport {
  const error = {
    code: 'PROVIDER_UNKNOWN',
    message: `No server is declared under ${appId}.`,
    hint: `Declare it under "providers.${appId}", or run "rollcall add".`,
  }
  return { appId, status: 'failed', tools: [], error }
}
