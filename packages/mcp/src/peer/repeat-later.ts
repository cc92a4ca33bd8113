import { setTimeout as sleep } from 'node:timers/promises'
import { isRollcallError } from '@rollcall/plugin'
import type { PeerAnswer, PeerRequestOptions } from './mcp-peer.ts'

type Limits = Pick<PeerRequestOptions, 'timeoutMs' | 'maxTotalTimeoutMs'>

/**
 * Sends a request that changes nothing again when the server asks to come later, as long as that is within the time that
 * the request may take.
 *
 * @throws {RollcallError} what the last attempt ended with.
 */
export async function repeatLater(
  request: PeerRequestOptions & { readonly method: string },
  send: (limits: Limits) => Promise<PeerAnswer>,
): Promise<PeerAnswer> {
  const { timeoutMs, maxTotalTimeoutMs = timeoutMs, signal } = request
  const startedAt = performance.now()
  const isRead = request.method !== 'tools/call' || request.repeatable === true
  for (let passedMs = 0; ; passedMs = Math.ceil(performance.now() - startedAt)) {
    try {
      return await send({ timeoutMs: timeoutMs - passedMs, maxTotalTimeoutMs: maxTotalTimeoutMs - passedMs })
    } catch (error) {
      const waitMs = isRead && isRollcallError(error) ? error.data?.retryAfterMs : undefined
      const leftMs = timeoutMs - (performance.now() - startedAt)
      if (typeof waitMs !== 'number' || waitMs >= leftMs) throw error
      // A server that says "at once" again and again is asked a few times a second.
      await sleep(Math.max(waitMs, 200), undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}
