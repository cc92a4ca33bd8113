import type { McpClaim } from '@rollcall/host'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { resolveServer } from '../declaration/resolve-server.ts'
import { listTools } from '../listing/list-tools.ts'
import { connectPeer } from '../peer/connect-peer.ts'
import type { Starter } from '../pool/connection.ts'

/** How this claim's server is started and listed. */
export function createStarter(
  claim: McpClaim,
  settings: McpSettings,
  options: {
    /** Milliseconds for the start and the first list. */
    readonly connectTimeoutMs: number
    /** Throws what keeps the server from being started. */
    readonly assertMayStart?: () => Promise<void>
  },
): Starter {
  const { appId } = claim
  const { connectTimeoutMs, assertMayStart } = options
  const { limits, logger } = settings
  const maxMessageBytes = Math.max(limits.resultBytes, limits.listBytes)
  return {
    connectTimeoutMs,
    async connect(signal, onVitals) {
      const startedAt = performance.now()
      await assertMayStart?.()
      // Secrets are read as late as this, and again at every start.
      const server = await resolveServer(claim, settings)
      const peer = await connectPeer(server, {
        // No capabilities: nothing that a server asks back can be answered by a person here.
        clientCapabilities: {},
        logger,
        signal,
        connectTimeoutMs,
        maxMessageBytes,
        onVitals,
      })
      logger.info('server started', { provider: appId, durationMs: Math.round(performance.now() - startedAt) })
      return peer
    },
    list: (peer, signal, timeoutMs) => listTools(peer, { appId, limits, signal, timeoutMs }),
  }
}
