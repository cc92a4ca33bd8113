import type { Json } from '@rollcall/plugin'
import type { Catalogue, CatalogueEntry, FeatureEntry } from '../catalogue/catalogue.ts'
import type { Hold } from '../catalogue/hold.ts'
import { withHolds } from '../catalogue/with-holds.ts'
import { groupKey, toolKey } from './switch-keys.ts'

/** The rows of the store whose keys begin with `switch/`. */
export type SwitchRows = ReadonlyMap<string, Json>

/**
 * Puts a person's switches on a catalogue. An *on* holds for the digest that it was given for; an *off* holds for
 * owner, appId and name whatever the digest, until a person lifts it. Unreadable rows count as off.
 */
export function applySwitches(catalogue: Catalogue, rows: SwitchRows): Catalogue {
  if (rows.size === 0) return catalogue
  const entries = new Map<string, CatalogueEntry>()
  for (const [name, entry] of catalogue.entries) entries.set(name, switched(entry, rows))
  const features = new Map([...catalogue.features].map(([appId, entry]) => [appId, withGroup(entry, rows)]))
  return { ...catalogue, entries, features }
}

/** What is no tool has no switch of its own: the group of its provider counts. */
function withGroup(entry: FeatureEntry, rows: SwitchRows): FeatureEntry {
  if (!rows.has(groupKey(entry.traits.group))) return entry
  const hold: Hold = { by: 'switch', hint: `rollcall enable group:${entry.traits.group}` }
  return Object.freeze({ ...entry, holds: Object.freeze([...entry.holds, hold]) })
}

function switched(entry: CatalogueEntry, rows: SwitchRows): CatalogueEntry {
  const own = rows.get(toolKey(entry))
  const group = rows.get(groupKey(entry.traits.group))
  if (own === undefined && group === undefined) return entry
  const holds: Hold[] = entry.holds.filter((hold) => !(hold.by === 'default' && isOn(own, entry.digest)))
  if (own !== undefined && !isOn(own)) holds.push({ by: 'switch', hint: `rollcall enable ${entry.name}` })
  if (group !== undefined) holds.push({ by: 'switch', hint: `rollcall enable group:${entry.traits.group}` })
  return withHolds(entry, holds)
}

function isOn(row: Json | undefined, digest?: string): boolean {
  if (typeof row !== 'object' || row === null || !('on' in row) || row.on !== true) return false
  return digest === undefined || ('digest' in row && row.digest === digest)
}
