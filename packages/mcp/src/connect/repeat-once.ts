import type { ProviderCall } from '@rollcall/host'
import { isRollcallError } from '@rollcall/plugin'

/** How long a request may take from now on. */
export interface TimeLimits {
  readonly timeoutMs: number
  readonly maxTotalTimeoutMs: number
}

/** What one attempt goes by. */
export interface Attempt {
  /** Aborts its waiting before anything is sent. */
  readonly signal: AbortSignal
  /** To be asked right before it is sent: from then on time counts. */
  begin(): TimeLimits
}

/**
 * Makes a request, and once more where that is safe and its server left, or forgot the session, meanwhile. One time-out
 * holds for both: what the first attempt and the restart took is not left for the second.
 *
 * @throws what the last attempt that was sent ended with.
 */
export async function repeatOnce<T>(
  call: Pick<ProviderCall, 'signal' | 'timeoutMs'>,
  { isSafe, maxTotalTimeoutMs }: { readonly isSafe: boolean; readonly maxTotalTimeoutMs: number },
  attempt: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = call
  let beganAt: number | undefined
  const passedMs = () => (beganAt === undefined ? 0 : Math.ceil(performance.now() - beganAt))
  const begin = () => {
    const ms = passedMs()
    beganAt ??= performance.now()
    return { timeoutMs: Math.max(1, timeoutMs - ms), maxTotalTimeoutMs: Math.max(1, maxTotalTimeoutMs - ms) }
  }
  try {
    return await attempt({ signal, begin })
  } catch (error) {
    const leftMs = timeoutMs - passedMs()
    if (!isSafe || !isServerGone(error, beganAt !== undefined) || signal.aborted || leftMs <= 0) throw error
    return await attemptWithin(leftMs, signal, begin, error, attempt)
  }
}

/** The second attempt. @throws the first one's `error` where the time is over before it is sent. */
async function attemptWithin<T>(
  leftMs: number,
  signal: AbortSignal,
  begin: () => TimeLimits,
  error: unknown,
  attempt: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const outOfTime = AbortSignal.timeout(leftMs)
  let hasBegun = false
  const again: Attempt = {
    signal: AbortSignal.any([signal, outOfTime]),
    begin() {
      hasBegun = true
      return begin()
    },
  }
  try {
    return await attempt(again)
  } catch (last) {
    throw outOfTime.aborted && !signal.aborted && !hasBegun ? error : last
  }
}

/** Did its process leave while it worked on this, or does it not know our session any more? */
function isServerGone(error: unknown, hasBegun: boolean): boolean {
  if (!isRollcallError(error)) return false
  const reason = error.code === 'TOOL_OUTCOME_UNKNOWN' ? error.cause : error
  if (!isRollcallError(reason, 'SERVER_UNAVAILABLE')) return false
  if (reason.data?.sessionLost === true) return true
  // What could not be written to it any more tells nothing besides.
  return hasBegun && (reason.data === undefined || reason.data.stderrTail !== undefined)
}
