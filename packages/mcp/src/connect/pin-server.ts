import type { McpClaim, OutboundFetch } from '@rollcall/host'
import type { Digest, Finding } from '@rollcall/plugin'
import type { McpSettings } from '../declaration/mcp-settings.ts'
import type { ClassedList } from '../listing/classed-list.ts'
import type { LiveList } from '../listing/live-list.ts'
import type { ServerRecord } from '../lock/server-record.ts'
import { toLockEntry } from '../lock/to-lock-entry.ts'
import type { CallQueue } from '../pool/call-queue.ts'
import type { Connection } from '../pool/connection.ts'
import { listAsAll } from './list-as.ts'

/**
 * Starts a server that was never listed, lists it and pins what it lists. The connection stays for its first call.
 *
 * @throws {RollcallError} what kept it from being started, listed or written down.
 */
export async function pinServer(
  claim: McpClaim,
  connection: Connection,
  options: {
    readonly mcp: McpSettings
    readonly fetch: OutboundFetch
    readonly record: ServerRecord
    /** Lets at most a few servers be listed for the first time at once. */
    readonly pinQueue: CallQueue
    readonly launch: Digest
    readonly signal: AbortSignal
  },
): Promise<{ readonly live: LiveList; readonly findings: readonly Finding[] }> {
  const { record, pinQueue, launch, signal } = options
  const leave = await pinQueue.enter(claim.appId, signal)
  try {
    const startedAt = performance.now()
    return await connection.use(signal, async (running) => {
      const startedInMs = performance.now() - startedAt
      const listed = await listAsAll(claim, running, { ...options, startedInMs })
      const entry = toLockEntry(claim, running.peer, listed, launch)
      await record.pin(entry, { by: 'first use', reviewed: false, replace: false })
      return { live: running.live, findings: [pinned(claim.appId, listed), ...listed.findings] }
    })
  } finally {
    leave()
  }
}

function pinned(appId: string, { live }: ClassedList): Finding {
  return {
    code: 'SERVER_PINNED',
    severity: 'info',
    about: { appId },
    phase: 'list',
    message: `${appId} was listed for the first time: ${live.tools.size} tools are pinned in the lock file.`,
    hint: 'Commit the lock file.',
    causes: [],
  }
}
