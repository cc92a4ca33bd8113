import { type DataClass, dataClasses, type TrustZone } from '@rollcall/plugin'
import type { Profile } from './profile.ts'

/** Up to which class a consumer in a zone may receive data. */
export const zoneCeilings: Readonly<Record<TrustZone, DataClass>> = {
  local: 'secretAdjacent',
  privateHosted: 'systemDiagnostics',
  externalEu: 'internalConfiguration',
  externalGlobal: 'editorContent',
}

/** The highest class a profile may receive; an unknown zone counts as the farthest one. */
export function ceilingOf(profile: Profile): DataClass {
  if (profile.ceiling !== undefined && dataClasses.includes(profile.ceiling)) return profile.ceiling
  return Object.hasOwn(zoneCeilings, profile.zone) ? zoneCeilings[profile.zone] : zoneCeilings.externalGlobal
}

/** 0 for harmless data; an unknown class ranks above all. */
export function rankOf(dataClass: DataClass): number {
  const rank = dataClasses.indexOf(dataClass)
  return rank === -1 ? dataClasses.length : rank
}
