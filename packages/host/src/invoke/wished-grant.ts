import { randomUUID } from 'node:crypto'
import { type Principal, RollcallError } from '@rollcall/plugin'
import type { ToolView } from '../catalogue/catalogue.ts'
import type { Grant } from '../gate/grant.ts'
import type { WorkingCall } from './call-record.ts'
import type { CallState } from './fold-call.ts'
import type { GrantWish } from './outcome.ts'

const longestMs = 8 * 60 * 60_000

/**
 * The grant that a person wants to give with a yes.
 *
 * @throws {RollcallError} `GRANT_REFUSED` where a yes is good for one call alone, or the time is none.
 */
export function wishedGrant(
  wish: GrantWish,
  call: {
    readonly working: WorkingCall
    readonly proposed: NonNullable<CallState['proposed']>
    readonly entry: ToolView
  },
  given: { readonly by: Principal; readonly now: number },
): Grant {
  const { working, proposed, entry } = call
  const { once = 'an older program asked' } = working
  if (once !== null) throw refused(`A yes to ${entry.name} is good for one call: ${once}.`)
  const isSession = wish.for === 'session'
  if (isSession && !working.client)
    throw refused('The call came from no client, so there is no session to grant it for.')
  const forMs = isSession ? longestMs : Number(wish.for)
  if (!(forMs >= 1 && forMs <= longestMs)) throw refused('A grant lasts at most 8 hours.')
  return {
    id: randomUUID(),
    tool: entry.name,
    definition: entry.digest,
    principal: working.principal.id,
    profile: working.profile,
    // What is no clear "any" is the narrow one.
    args: wish.args === 'any' ? 'any' : proposed.args,
    ...(isSession && working.client ? { session: working.client.session } : {}),
    until: given.now + forMs,
    by: given.by.id,
    at: given.now,
  }
}

function refused(message: string): RollcallError {
  return new RollcallError('GRANT_REFUSED', message, { hint: 'Approve this call alone: leave the grant out.' })
}
