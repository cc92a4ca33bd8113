import type { CatalogueEntry, ToolView } from './catalogue.ts'

const views = new WeakMap<CatalogueEntry, ToolView>()

/** The data of an entry without the ways to run it: what may leave the host. */
export function toView(entry: CatalogueEntry): ToolView {
  let view = views.get(entry)
  if (view === undefined) {
    view = Object.freeze({
      name: entry.name,
      original: entry.original,
      appId: entry.appId,
      plugin: entry.plugin,
      source: entry.source,
      kind: entry.kind,
      generation: entry.generation,
      digest: entry.digest,
      definition: entry.definition,
      traits: entry.traits,
      holds: entry.holds,
      needs: entry.needs,
      ...(entry.asks !== undefined && { asks: entry.asks }),
      ...(entry.drifting === true && { drifting: true as const }),
    })
    views.set(entry, view)
  }
  return view
}
