import type { Principal, RollcallErrorCode } from '@rollcall/plugin'
import type { ApprovalChannel, Approvals, Profile } from '../gate/profile.ts'

/** Why somebody's yes to a call is not taken. */
export interface Refusal {
  readonly code: RollcallErrorCode
  readonly message: string
  readonly hint: string
}

const usual: NonNullable<Approvals['channels']> = ['console', 'cli']

/**
 * What the profile of a call says about who may approve it, from where and when; `undefined`: nothing against it.
 * That somebody may decide at all is checked before.
 */
export function routeRefusal(
  profile: Profile,
  call: {
    readonly tool: string
    readonly owner: Principal
    readonly askedAt: number
    readonly now: number
    /** A person is to say something about it, which is no approval. */
    readonly isInput?: boolean
  },
  by: { readonly principal: Principal; readonly channel: ApprovalChannel },
): Refusal | undefined {
  const { fourEyes, approvals = {} } = profile
  const { principal, channel } = by
  const { channels = usual } = approvals
  if (channel !== 'library' && !channels.includes(channel))
    return {
      code: 'APPROVAL_ROUTED',
      message: `The profile ${profile.name} takes no approvals by ${channel}.`,
      hint: `It takes them by ${channels.join(' and ')}: "approvals.channels" in the configuration.`,
    }
  if (call.isInput === true) return undefined
  if (fourEyes === true && call.owner.person === principal.person)
    return {
      code: 'APPROVAL_SELF',
      message: `The profile ${profile.name} asks for four eyes: somebody else has to approve ${call.tool}.`,
      hint: 'What waits: rollcall approvals',
    }
  if (!isNamed(approvals, call, principal))
    return {
      code: 'APPROVAL_ROUTED',
      message: `The profile ${profile.name} has others approve ${call.tool}.`,
      hint: 'Who may is said by "approvals.by" in the configuration; refusing it is open to whoever may decide.',
    }
  return undefined
}

/** From `escalateAfterMs` on everybody is who may decide at all. */
function isNamed(
  { by, escalateAfterMs }: Approvals,
  { askedAt, now }: { readonly askedAt: number; readonly now: number },
  { id, person }: Principal,
): boolean {
  if (by === undefined || by.includes(id) || by.includes(person)) return true
  return escalateAfterMs !== undefined && now >= askedAt + escalateAfterMs
}
