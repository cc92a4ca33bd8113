import type { McpClaim, OutboundFetch } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { resolveServer } from '../declaration/resolve-server.ts'
import { listServer } from '../listing/list-server.ts'
import type { LockEntry } from '../lock/lock-entry.ts'
import { connectPeer } from '../peer/connect-peer.ts'
import type { Starter } from '../pool/connection.ts'

/** How one connection to a claim's server is made. */
export interface StarterOptions {
  /** The host's own: nothing here opens a network connection of itself. */
  readonly fetch: OutboundFetch
  /** Milliseconds for the start and the first list. */
  readonly connectTimeoutMs: number
  /** What the server is told that its client can do; default nothing. */
  readonly clientCapabilities?: JsonObject
  /** Done before its secrets are read. */
  readonly prepare?: () => Promise<void>
  /** Throws what keeps the server from being started; gives what is pinned about it. */
  readonly assertMayStart?: () => Promise<Pick<LockEntry, 'protocol'> | undefined>
}

/** How this claim's server is started and listed. */
export function createStarter(claim: McpClaim, settings: McpSettings, options: StarterOptions): Starter {
  const { appId, server: declaration } = claim
  const { fetch, connectTimeoutMs, clientCapabilities = {}, prepare, assertMayStart } = options
  const { limits, logger } = settings
  const maxMessageBytes = Math.max(limits.resultBytes, limits.listBytes)
  return {
    connectTimeoutMs,
    async connect(signal, onVitals, onServerRequest) {
      const startedAt = performance.now()
      const pinned = await assertMayStart?.()
      await prepare?.()
      // Secrets are read as late as this, and again at every start.
      const server = await resolveServer(claim, settings)
      const peer = await connectPeer(server, {
        clientCapabilities,
        onServerRequest,
        protocol: protocolOf(declaration.protocol, pinned),
        fetch,
        logger,
        signal,
        connectTimeoutMs,
        maxMessageBytes,
        onVitals,
      })
      logger.info('server started', { provider: appId, durationMs: Math.round(performance.now() - startedAt) })
      return peer
    },
    list: (peer, signal, timeoutMs) => listServer(peer, { appId, limits, signal, timeoutMs }),
  }
}

/** Who declares a server knows best; else it is not asked again at every start. */
function protocolOf(
  declared: McpClaim['server']['protocol'],
  pinned: Pick<LockEntry, 'protocol'> | undefined,
): 'auto' | 'session' | 'stateless' {
  return declared !== undefined && declared !== 'auto' ? declared : (pinned?.protocol?.era ?? 'auto')
}
