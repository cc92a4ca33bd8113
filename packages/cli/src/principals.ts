import { localClient, localUser } from '@rollcall/host'
import type { Principal } from '@rollcall/plugin'

/** The built-in profile of the process' owner. */
export const directProfile = 'direct'

/** Who uses a profile from this machine: the owner by `direct`, a client without a key by any other. */
export function principalOf(profile: string): Principal {
  return profile === directProfile ? localUser : localClient
}
