import type { ToolTraits } from '@rollcall/plugin'
import type { Verdict } from './gate.ts'
import type { Profile } from './profile.ts'

/** What of a call says whether a yes may be good for a while. */
export interface GrantableCall {
  readonly traits: ToolTraits
  readonly drifting?: true
  readonly profile: Profile
  readonly verdict: Pick<Verdict, 'decidedBy'>
}

/** Why a person's yes is good for this one call alone; `undefined`: it may be good for a while. */
export function grantFault({ traits, drifting, profile, verdict }: GrantableCall): string | undefined {
  if (traits.grants === false) return 'its preset asks for each call'
  if (traits.adminOnly !== false) return 'it is for administrators only'
  if (traits.effect !== 'read' && traits.dataClass === 'secretAdjacent') return 'it writes next to secrets'
  if (profile.fourEyes === true) return `the profile ${profile.name} asks for four eyes`
  if (drifting === true) return 'its server describes it otherwise than it was accepted'
  if (verdict.decidedBy !== 'approval') return `the rule "${verdict.decidedBy}" asks for each call`
  return undefined
}
