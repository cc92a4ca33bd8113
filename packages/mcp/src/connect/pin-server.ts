import type { Digest, Finding } from '@rollcall/plugin'
import type { LiveList } from '../listing/live-list.ts'
import type { ServerRecord } from '../lock/server-record.ts'
import type { CallQueue } from '../pool/call-queue.ts'
import type { Connection } from '../pool/connection.ts'

/**
 * Starts a server that was never listed, lists it and pins what it lists. The connection stays for its first call.
 *
 * @throws {RollcallError} what kept it from being started, listed or written down.
 */
export async function pinServer(
  appId: string,
  connection: Connection,
  options: {
    readonly record: ServerRecord
    /** Lets at most a few servers be listed for the first time at once. */
    readonly pinQueue: CallQueue
    readonly launch: Digest
    readonly signal: AbortSignal
  },
): Promise<{ readonly live: LiveList; readonly finding: Finding }> {
  const { record, pinQueue, launch, signal } = options
  const leave = await pinQueue.enter(appId, signal)
  try {
    return await connection.use(signal, async ({ peer, live }) => {
      await record.pin(peer, live, { by: 'first use', reviewed: false, launch })
      return { live, finding: pinned(appId, live) }
    })
  } finally {
    leave()
  }
}

function pinned(appId: string, live: LiveList): Finding {
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
