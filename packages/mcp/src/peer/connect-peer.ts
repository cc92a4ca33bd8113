import type { OutboundFetch } from '@rollcall/host'
import type { JsonObject, Logger } from '@rollcall/plugin'
import type { ResolvedServer } from '../declaration/resolved-server.ts'
import type { McpPeer, OnServerRequest, PeerVitals } from './mcp-peer.ts'

/** How a server is connected. */
export interface ConnectPeerOptions {
  /** What we tell the server that we can do for it. */
  readonly clientCapabilities: JsonObject
  /** Answers what the server asks where it is not known which request it belongs to. */
  readonly onServerRequest?: OnServerRequest
  /** Which revisions to speak; `auto` asks the server. */
  readonly protocol: 'auto' | 'session' | 'stateless'
  readonly fetch: OutboundFetch
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Milliseconds for spawn and handshake. */
  readonly connectTimeoutMs: number
  /** From when they count, by `performance.now()`. Default: now. */
  readonly startedAt?: number
  /** The longest single message that is read, in bytes. */
  readonly maxMessageBytes: number
  /** Handed out before the handshake, so that a server that fails it can be looked at too. */
  readonly onVitals?: (read: () => PeerVitals) => void
}

/**
 * Connects to one server and finishes its handshake. When it rejects, nothing of the server is left running.
 *
 * @throws {RollcallError} `SERVER_UNAVAILABLE`, `SERVER_TIMEOUT`, `SERVER_PROTOCOL` or `ADDRESS_REFUSED`.
 */
export type ConnectPeer = (server: ResolvedServer, options: ConnectPeerOptions) => Promise<McpPeer>

/**
 * Speaks whichever revisions the server was pinned to. `auto` asks for the newest first, and starts a server anew that
 * turns out not to speak it: what it was asked may have confused it. Each SDK is loaded only when it is spoken.
 */
export const connectPeer: ConnectPeer = async (server, options) => {
  const { protocol } = options
  // The transport that is forced is older than the question.
  const isOlder = server.kind === 'http' && server.transport === 'sse'
  if (protocol === 'session' || (protocol === 'auto' && isOlder)) return connectSession(server, options)
  const startedAt = performance.now()
  const { connectStateless } = await import('../stateless-era/connect-stateless.ts')
  const connection = await connectStateless(server, options)
  if ('peer' in connection) return connection.peer
  if (protocol === 'stateless') throw connection.otherEra
  return connectSession(server, { ...options, startedAt })
}

async function connectSession(server: ResolvedServer, options: ConnectPeerOptions): Promise<McpPeer> {
  const session = await import('../session-era/connect-session.ts')
  return session.connectSession(server, options)
}
