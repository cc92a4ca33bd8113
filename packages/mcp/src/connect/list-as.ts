import type { McpClaim, OutboundFetch } from '@rollcall/host'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import { type ClassedList, listClasses } from '../listing/classed-list.ts'
import type { LiveList } from '../listing/live-list.ts'
import { type McpPeer, type OnServerRequest, ServerRequestError } from '../peer/mcp-peer.ts'
import { capabilitiesOf } from '../pool/capability-class.ts'
import type { Running, Starter } from '../pool/connection.ts'
import { createStarter } from './create-starter.ts'

/**
 * Lists a server that runs for a bare client also as clients that can do more would see it. For each such list it is
 * started once more, and stopped.
 *
 * @throws {RollcallError} only when cancelled.
 */
export function listAsAll(
  claim: McpClaim,
  { peer, live }: Running,
  options: {
    readonly mcp: McpSettings
    readonly fetch: OutboundFetch
    readonly signal: AbortSignal
    /** Milliseconds that its first start and list took. */
    readonly startedInMs: number
  },
): Promise<ClassedList> {
  const { mcp, fetch, signal, startedInMs } = options
  // What came up once comes up again in about that time, or not at all.
  const connectTimeoutMs = Math.min(mcp.limits.connectTimeoutMs, Math.ceil(5_000 + 4 * startedInMs))
  const listAs = (capabilityClass: string): Promise<LiveList> => {
    const starter = createStarter(claim, mcp, {
      fetch,
      connectTimeoutMs,
      clientCapabilities: capabilitiesOf(capabilityClass),
      // It need not be asked again which revisions it speaks.
      assertMayStart: async () => ({ protocol: { era: peer.era, on: '' } }),
    })
    return listOnce(starter, AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)]))
  }
  return listClasses(claim.appId, live, listAs, signal)
}

async function listOnce(starter: Starter, signal: AbortSignal): Promise<LiveList> {
  const peer: McpPeer = await starter.connect(signal, () => {}, answerNobody)
  try {
    return await starter.list(peer, signal, starter.connectTimeoutMs)
  } finally {
    await peer[Symbol.asyncDispose]()
  }
}

/** There is nobody behind this client. */
const answerNobody: OnServerRequest = async (method) => {
  if (method === 'roots/list') return { roots: [] }
  if (method === 'elicitation/create') return { action: 'cancel' }
  throw new ServerRequestError(-32_601, 'Nobody here answers that.')
}
