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
  /** The longest single message that is read, in bytes. */
  readonly maxMessageBytes: number
  /** Handed out before the handshake, so that a server that fails it can be looked at too. */
  readonly onVitals?: (read: () => PeerVitals) => void
}

/**
 * Connects to one server and finishes its handshake. When it rejects, nothing of the server is left running.
 *
 * @throws {RollcallError} `SERVER_UNAVAILABLE`, `SERVER_TIMEOUT` or `SERVER_PROTOCOL`.
 */
export type ConnectPeer = (server: ResolvedServer, options: ConnectPeerOptions) => Promise<McpPeer>

/** Speaks the session revisions of the protocol; the SDK is loaded when the first server is started. */
export const connectPeer: ConnectPeer = async (server, options) => {
  const { connectSession } = await import('../session-era/connect-session.ts')
  return connectSession(server, options)
}
