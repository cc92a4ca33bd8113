import { canonicalJson } from '@rollcall/plugin'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'

/** Public names, each list sorted. */
export interface CatalogueDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** The same name with another digest, other traits or other holds. */
  readonly changed: readonly string[]
}

/** What a consumer of `before` has to learn about `after`. */
export function diffCatalogues(before: Pick<Catalogue, 'entries'>, after: Pick<Catalogue, 'entries'>): CatalogueDiff {
  const added: string[] = []
  const changed: string[] = []
  for (const [name, entry] of after.entries) {
    const earlier = before.entries.get(name)
    if (earlier === undefined) added.push(name)
    else if (differs(earlier, entry)) changed.push(name)
  }
  const removed = [...before.entries.keys()].filter((name) => !after.entries.has(name))
  return { added: added.sort(), removed: removed.sort(), changed: changed.sort() }
}

function differs(one: CatalogueEntry, other: CatalogueEntry): boolean {
  if (one === other) return false
  return one.digest !== other.digest || unlike(one.traits, other.traits) || unlike(one.holds, other.holds)
}

function unlike(one: unknown, other: unknown): boolean {
  return one !== other && canonicalJson(one) !== canonicalJson(other)
}
