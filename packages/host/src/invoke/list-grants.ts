import type { Principal } from '@rollcall/plugin'
import type { Grant } from '../gate/grant.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { mayDecide } from './answer.ts'
import type { CallDeps } from './call-deps.ts'
import type { Answered } from './runtime.ts'

/**
 * The grants that are still good: all for whoever may decide, else one's own.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function listGrants({ grants }: CallDeps, principal: Principal): Promise<readonly Grant[]> {
  const all = await grants.list()
  return mayDecide(principal) ? all : all.filter((grant) => grant.principal === principal.id)
}

/** Takes a grant back. Somebody else's looks unknown. Never rejects. */
export async function revokeGrant(deps: CallDeps, id: string, principal: Principal): Promise<Answered> {
  try {
    const isThere = (await listGrants(deps, principal)).some((grant) => grant.id === id)
    if (isThere && (await deps.grants.revoke(id))) return { ok: true }
    const message = 'No grant of that id is given.'
    return { ok: false, code: 'APPROVAL_NOT_FOUND', message, hint: 'What is granted: rollcall approvals' }
  } catch (error) {
    deps.logger.error('a grant could not be revoked', { ...describeThrown(error) })
    const message = 'The grant could not be revoked: it may still be good.'
    return { ok: false, code: 'STORE_UNAVAILABLE', message, hint: 'Check the store, and revoke it again.' }
  }
}
