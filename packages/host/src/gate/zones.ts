import type { DataClassName, TrustZoneName } from '@rollcall/plugin'
import { createPolicy, type GatePolicy, zoneCeilings } from './policy.ts'
import type { Profile } from './profile.ts'

const builtIn = createPolicy()

/** The highest class a profile may receive; an unknown zone counts as the farthest one. */
export function ceilingOf(profile: Profile, policy: GatePolicy = builtIn): DataClassName {
  if (profile.ceiling !== undefined && policy.classes.includes(profile.ceiling)) return profile.ceiling
  return ceilingOfZone(profile.zone, policy)
}

/** The highest class that data which goes to a zone may have. */
export function ceilingOfZone(zone: TrustZoneName | undefined, policy: GatePolicy): DataClassName {
  return (zone === undefined ? undefined : policy.ceilings.get(zone)) ?? zoneCeilings.externalGlobal
}

/** 0 for harmless data; an unknown class ranks above all. */
export function rankOf(dataClass: DataClassName, { classes }: GatePolicy): number {
  const rank = classes.indexOf(dataClass)
  return rank === -1 ? classes.length : rank
}

/** Whether data of a class may go where `ceiling` is the highest. A ceiling that nobody knows lets nothing through. */
export function isWithin(dataClass: DataClassName, ceiling: DataClassName, policy: GatePolicy): boolean {
  return policy.classes.includes(ceiling) && rankOf(dataClass, policy) <= rankOf(ceiling, policy)
}
