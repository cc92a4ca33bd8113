import { randomUUID } from 'node:crypto'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { Host } from '@rollcall/host'
import type { JsonObject, Logger, Principal } from '@rollcall/plugin'
import manifest from '../../package.json' with { type: 'json' }
import { type CallProgress, createCallProgress } from './call-progress.ts'
import { callTool } from './call-tool.ts'
import { instructionsFor } from './instructions.ts'
import { RpcError } from './rpc-error.ts'
import { shownText } from './shown-text.ts'
import type { ToolShelves } from './tool-shelves.ts'

type Extra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1]

// The SDK would build a schema compiler for every session; nothing here asks a client for data to be checked.
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'Nothing is asked for.' }),
}

/**
 * One session of one client over the one registry; connect it to a transport.
 *
 * Closing the server ends the session and aborts its calls.
 *
 * @param options.principal who the session belongs to, asked again at every request
 */
export function createSessionServer(options: {
  readonly host: Host
  readonly shelves: ToolShelves
  readonly profile: string
  readonly principal: () => Principal
  readonly logger: Logger
}): Server {
  const { host, shelves, profile, principal, logger } = options
  const shelf = () => shelves.shelf({ principal: principal(), profile })
  const session = randomUUID()
  let { fingerprint, hidden } = shelf()

  const server = new Server(
    { name: 'rollcall', title: 'Rollcall', version: manifest.version },
    {
      capabilities: { tools: { listChanged: true } },
      instructions: instructionsFor(profile, hidden),
      jsonSchemaValidator: noValidator,
    },
  )

  // Handlers by schema would rebuild requests and results, and lose what the SDK doesn't know.
  server.fallbackRequestHandler = async (request, extra) => {
    try {
      if (request.method === 'tools/list') return { tools: shelf().tools }
      if (request.method === 'tools/call') return await call(request, extra)
    } catch (error) {
      if (error instanceof RpcError) throw error
      logger.error('A request of an MCP client failed in Rollcall itself.', { profile, method: request.method, error })
      throw new RpcError(-32603, 'Internal error')
    }
    throw new RpcError(-32601, 'Method not found')
  }

  function call({ params }: JSONRPCRequest, extra: Extra): Promise<JsonObject> {
    const name = params?.name
    if (typeof name !== 'string') throw new RpcError(-32602, 'tools/call needs params.name, a string.')
    const who = { principal: principal(), profile }
    const isVisible = shelves.shelf(who).names.has(name)
    const client = { session, name: shownText(server.getClientVersion()?.name ?? 'unnamed', 100) }
    const progress = progressTo(extra)
    return callTool(
      host,
      { name, args: params?.arguments ?? {}, isVisible },
      { ...who, client, signal: extra.signal, ...(progress && { onProgress: progress.report }) },
      progress,
    )
  }

  function progressTo(extra: Extra): CallProgress | undefined {
    const token = extra._meta?.progressToken
    if (token === undefined) return undefined
    return createCallProgress(token, (params) => {
      // A client that has gone is no fault of the call.
      extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {})
    })
  }

  const off = shelves.onChanged(() => {
    const now = shelf().fingerprint
    if (now === fingerprint) return
    fingerprint = now
    server.sendToolListChanged().catch(() => {})
  })
  server.onclose = off
  return server
}
