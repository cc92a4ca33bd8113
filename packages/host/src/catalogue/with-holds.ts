import type { CatalogueEntry } from './catalogue.ts'
import type { Hold } from './hold.ts'

/** The same entry under other holds; nothing else of it changes. */
export function withHolds(entry: CatalogueEntry, holds: readonly Hold[]): CatalogueEntry {
  const descriptors = Object.getOwnPropertyDescriptors(entry)
  const copy = Object.create(Object.getPrototypeOf(entry), {
    ...descriptors,
    holds: { value: Object.freeze([...holds]), enumerable: true },
  }) as CatalogueEntry
  return Object.freeze(copy)
}
