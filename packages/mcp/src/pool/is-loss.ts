import { isRollcallError, type RollcallError } from '@rollcall/plugin'

const tooMany = 429
const serverFault = 500

/**
 * Does this error say that the connection is of no use any more? An HTTP server has no exit: a request that finds nobody
 * is how its end is noticed. One that is only busy, or was cut off in its answer, is still there.
 */
export function isLoss(error: unknown): error is RollcallError {
  if (!isRollcallError(error, 'SERVER_UNAVAILABLE')) return false
  const { cancelled, sent, status } = error.data ?? {}
  if (cancelled === true || sent === true) return false
  return typeof status !== 'number' || (status !== tooMany && status < serverFault)
}
