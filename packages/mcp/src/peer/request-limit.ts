import { RollcallError } from '@rollcall/plugin'
import type { PeerRequestOptions } from './mcp-peer.ts'

/** The time that one request may take. */
export interface RequestLimit {
  /** The server showed that it is still at it: the time begins anew, up to the total. */
  extend(): void
  /** Only the total counts while the server waits for an answer of ours. */
  pauseDuring<T>(work: () => Promise<T>): Promise<T>
  clear(): void
}

/** Starts to count. @param expire is called once, when the time is over. */
export function startRequestLimit(
  name: string,
  { timeoutMs, maxTotalTimeoutMs = 0 }: Pick<PeerRequestOptions, 'timeoutMs' | 'maxTotalTimeoutMs'>,
  expire: (reason: RollcallError) => void,
): RequestLimit {
  const startedAt = performance.now()
  const totalMs = Math.max(maxTotalTimeoutMs, timeoutMs)
  let timer: NodeJS.Timeout | undefined
  let isPaused = false
  const arm = () => {
    clearTimeout(timer)
    const leftMs = Math.max(0, totalMs - (performance.now() - startedAt))
    const isLast = isPaused || leftMs <= timeoutMs
    const reason = timedOut(name, isLast ? totalMs : timeoutMs)
    timer = setTimeout(() => expire(reason), isLast ? leftMs : timeoutMs)
  }
  arm()
  return {
    extend: arm,
    async pauseDuring(work) {
      isPaused = true
      arm()
      try {
        return await work()
      } finally {
        isPaused = false
        arm()
      }
    },
    clear: () => clearTimeout(timer),
  }
}

/** The reason of a request that its caller has given up. */
export function requestCancelled(name: string, method: string, sent: boolean): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `The request ${method} to ${name} was cancelled.`, {
    hint: sent ? 'Look whether it did what was asked.' : 'Nothing was sent.',
    data: { sent, cancelled: true },
  })
}

/** The reason of a request that took longer than it may. */
export function timedOut(name: string, limitMs: number): RollcallError {
  return new RollcallError('SERVER_TIMEOUT', `${name} did not answer within ${Math.round(limitMs)} ms.`, {
    hint: 'Look whether it did what was asked, or raise "mcp.limits.callTimeoutMs".',
    data: { sent: true },
  })
}
