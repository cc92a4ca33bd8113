import type { Capability, Profile } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { abilitiesOf, capabilityClassOf } from '../../pool/capability-class.ts'

/** What servers may ask of a client: what it can do, as far as its profile allows. */
export function capabilitiesOf(capabilities: JsonObject, profile: Profile | undefined): ReadonlySet<Capability> {
  const { sampling, elicitation, roots } = capabilities
  const allowed = {
    ...(sampling !== undefined && profile?.sampling === true && { sampling }),
    ...(elicitation !== undefined && profile?.elicitation !== false && { elicitation }),
    ...(roots !== undefined && profile?.roots !== false && { roots }),
  }
  return abilitiesOf(capabilityClassOf(allowed))
}
