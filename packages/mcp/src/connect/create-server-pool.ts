import type { McpClaim, OutboundFetch } from '@rollcall/host'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import { capabilitiesOf } from '../pool/capability-class.ts'
import { ConnectionPool } from '../pool/connection-pool.ts'
import { createStarter } from './create-starter.ts'
import type { DriftCheck } from './drift-check.ts'
import { stateApart } from './state-apart.ts'

/** What the connections to one server are made of. */
export interface ServerPoolParts {
  readonly mcp: McpSettings
  readonly fetch: OutboundFetch
  readonly drift: DriftCheck
  /** Which revisions it is pinned to speak. */
  readonly pinnedEra: () => McpPeer['era'] | undefined
  readonly onListChanged: () => void
}

/** The connections to one declared server; none is started as anything else than what was accepted. */
export function createServerPool(claim: McpClaim, parts: ServerPoolParts): ConnectionPool {
  const { mcp, fetch, drift, pinnedEra, onListChanged } = parts
  const { server, appId } = claim
  let lastEra: McpPeer['era'] | undefined
  return new ConnectionPool(appId, {
    idleMs: server.idleMs ?? mcp.idleMs,
    keepAlive: server.keepAlive === true,
    eraNow: () => lastEra ?? pinnedEra(),
    onRunning: ({ peer }) => {
      lastEra = peer.era
    },
    onListChanged,
    starterFor(key) {
      const { settings, prepare } = stateApart(claim, mcp, key)
      return createStarter(claim, settings, {
        fetch,
        connectTimeoutMs: server.connectTimeoutMs ?? mcp.limits.connectTimeoutMs,
        clientCapabilities: capabilitiesOf(key.capabilityClass),
        prepare,
        // Asked right before every start, so that nothing else can start a changed launch.
        assertMayStart: async () => (await drift.assertLaunch()).entry,
      })
    },
    onSessionOver: (key) => stateApart(claim, mcp, key).remove(),
  })
}
