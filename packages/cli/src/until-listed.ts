import { setTimeout as sleep } from 'node:timers/promises'
import type { Mcp } from '@rollcall/mcp'

const pollMs = 50

/** Waits for servers that are being listed for the first time, but not for long: a slow one is shown as it is. */
export async function untilListed(mcp: Mcp, limits: { readonly waitMs: number; readonly signal: AbortSignal }) {
  const until = Date.now() + limits.waitMs
  const isListing = () => mcp.servers().some(({ state }) => state === 'starting' || state === 'ready')
  while (isListing() && Date.now() < until && !limits.signal.aborted) await sleep(pollMs)
}
