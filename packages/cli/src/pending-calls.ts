import { type Approval, type Host, localUser } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'

/** Fewest characters of a short id. */
const leastLength = 8

/** The beginning of each call's id, as long as it takes to tell them apart. */
export function shortIds(approvals: readonly Approval[]): ReadonlyMap<Approval, string> {
  const ids = approvals.map(({ pending }) => pending.callId)
  const isUnique = (prefix: string) => ids.filter((id) => id.startsWith(prefix)).length === 1
  return new Map(
    approvals.map((approval) => {
      const id = approval.pending.callId
      let length = leastLength
      while (length < id.length && !isUnique(id.slice(0, length))) length += 1
      return [approval, id.slice(0, length)]
    }),
  )
}

/**
 * The undecided call whose id begins with `id`.
 *
 * @throws {RollcallError} `APPROVAL_NOT_FOUND` when none does, or more than one.
 */
export async function findPending(host: Host, id: string): Promise<Approval> {
  const waiting = (await host.tools.pending(localUser)).filter(({ decision }) => decision === undefined)
  const found = waiting.filter(({ pending }) => id.length >= 4 && pending.callId.startsWith(id))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const message =
    found.length > 1 ? `"${id}" begins the ids of ${found.length} calls.` : `No call "${id}" waits for you.`
  throw new RollcallError('APPROVAL_NOT_FOUND', message, { hint: 'What waits: rollcall approvals' })
}
