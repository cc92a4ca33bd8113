import type { Profile } from './profile.ts'

/** `direct`: the owner of the process, everything, approvals as usual. `default`: nothing is known of the consumer. */
const builtIn: readonly Profile[] = [
  { name: 'direct', zone: 'local' },
  { name: 'default', zone: 'externalGlobal' },
]

/** The profiles of a host: the given ones, and the two that always exist. */
export function profilesOf(given: readonly Profile[] = []): ReadonlyMap<string, Profile> {
  return new Map([...builtIn, ...given].map((profile) => [profile.name, Object.freeze({ ...profile })]))
}
