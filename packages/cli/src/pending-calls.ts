import { type Approval, type Host, localUser } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'

/** Fewest characters of a short id. */
const leastLength = 8

/** The end of each call's id, as long as it takes to tell them apart; its beginning is the time. */
export function shortIds(approvals: readonly Approval[]): ReadonlyMap<Approval, string> {
  const ids = approvals.map(({ pending }) => pending.callId)
  const isUnique = (end: string) => ids.filter((id) => id.endsWith(end)).length === 1
  return new Map(
    approvals.map((approval) => {
      const id = approval.pending.callId
      let length = leastLength
      while (length < id.length && !isUnique(id.slice(-length))) length += 1
      return [approval, id.slice(-length)]
    }),
  )
}

/** Fewest characters by which a call may be named. */
const leastNamed = 4

/**
 * The undecided call whose id ends with `id`.
 *
 * @throws {RollcallError} `APPROVAL_NOT_FOUND` when none does, or more than one; `APPROVAL_DECIDED` when it was decided
 * and has not ended yet.
 */
export async function findPending(host: Host, id: string): Promise<Approval> {
  const isNamed = ({ pending }: Approval) => id.length >= leastNamed && pending.callId.endsWith(id)
  const named = (await host.tools.pending(localUser)).filter(isNamed)
  const found = named.filter(({ decision }) => decision === undefined)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const [decided] = named
  if (decided?.decision !== undefined && found.length === 0) throw alreadyDecided(decided)
  throw notFound(id, found.length)
}

function alreadyDecided({ pending, decision }: Approval): RollcallError {
  const how = decision?.approved === true ? 'approved' : 'denied'
  return new RollcallError('APPROVAL_DECIDED', `The call of ${pending.tool} was ${how} already.`, {
    hint: 'It is executed where it was made. What still waits: rollcall approvals',
  })
}

function notFound(id: string, found: number): RollcallError {
  const message =
    found > 1
      ? `"${id}" ends the ids of ${found} calls.`
      : id.length < leastNamed
        ? `"${id}" is too short to name a call: give at least ${leastNamed} characters of its id.`
        : `No call "${id}" waits for you.`
  return new RollcallError('APPROVAL_NOT_FOUND', message, { hint: 'What waits: rollcall approvals' })
}
