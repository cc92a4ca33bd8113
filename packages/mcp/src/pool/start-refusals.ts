import { RollcallError } from '@rollcall/plugin'
import type { RestartPolicy } from './restart-policy.ts'

export function stoppedWithHost(name: string): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `${name} was stopped with its host.`, { hint: 'Make a new host.' })
}

/** It failed too often to be started by this call. */
export function leftAlone(
  name: string,
  { failuresInRow, nextTryAt }: RestartPolicy,
  last: RollcallError | undefined,
): RollcallError {
  const leftMs = nextTryAt === undefined ? 0 : nextTryAt - Date.now()
  const next = leftMs <= 0 ? 'it is being tried again now' : `the next try is in ${Math.ceil(leftMs / 1_000)} s`
  const why = last === undefined ? '' : ` What it failed with: ${last.message}`
  return new RollcallError('SERVER_UNAVAILABLE', `${name} failed ${failuresInRow} times in a row; ${next}.${why}`, {
    hint: last?.hint ?? 'Repeat the call then.',
    data: { sent: false, ...(nextTryAt !== undefined && { nextTryAt }) },
    ...(last !== undefined && { cause: last }),
  })
}
