import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from './command-context.ts'
import type { Session } from './open-session.ts'

const pollMs = 50
/** Milliseconds after which a slow server is shown as it is. */
const waitMs = 4_000

/** Waits for servers that are being listed for the first time, but not for long. */
export async function untilListed({ host, mcp }: Session, { signal }: CommandContext): Promise<void> {
  const until = Date.now() + waitMs
  const isBeingListed = () => {
    const listed = new Set(host.tools.all().map(({ appId }) => appId))
    return mcp.servers().some(({ appId, state }) => (state === 'starting' || state === 'ready') && !listed.has(appId))
  }
  while (isBeingListed() && Date.now() < until && !signal.aborted) await sleep(pollMs)
}
