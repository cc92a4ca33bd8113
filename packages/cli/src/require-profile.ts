import type { Host, Profile } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'

/**
 * The profile of that name.
 *
 * @throws {RollcallError} `USAGE` when there is none, with the names there are.
 */
export function requireProfile(host: Host, name: string): Profile {
  const profile = host.profiles.get(name)
  if (profile !== undefined) return profile
  throw new RollcallError('USAGE', `There is no profile "${name}".`, {
    hint: `Profiles are ${[...host.profiles.keys()].join(', ')}; others are added under "profiles" in the configuration.`,
  })
}
