import { createHash } from 'node:crypto'
import type { Capability, FeatureList, Host, ResourceView, ToolView, Who } from '@rollcall/host'
import type { JsonObject, Logger } from '@rollcall/plugin'
import type { ServedNames } from '../served-names.ts'
import { toPublishedTool } from '../to-published-tool.ts'
import { publishPrompt, publishResource, publishTemplate } from './publish-feature.ts'

/** Entries as clients see them, in a stable order. */
export interface Shelf {
  readonly entries: readonly JsonObject[]
  /** Equal for equal lists. */
  readonly fingerprint: string
}

/** What consumers see at this moment, made once for each list of the host and shared by their sessions. */
export interface Shelves {
  tools(who: Who, can: ReadonlySet<Capability>): Shelf
  /** Whether the consumer may know of a tool, whatever its client can do. @param name the host's name */
  isVisible(who: Who, name: string): boolean
  /** How many of the tools that are served here the consumer does not see. */
  hidden(who: Who): number
  features(who: Who): { readonly prompts: Shelf; readonly templates: Shelf; readonly resources: Shelf }
  resources(views: readonly ResourceView[]): readonly JsonObject[]
}

export function createShelves(host: Host, names: ServedNames, logger: Logger): Shelves {
  // The host gives one and the same list as long as nothing changes for a consumer.
  const toolShelves = new WeakMap<readonly ToolView[], Map<string, Shelf>>()
  const nameSets = new WeakMap<readonly ToolView[], ReadonlySet<string>>()
  const featureShelves = new WeakMap<FeatureList, ReturnType<Shelves['features']>>()

  function publish<V extends { readonly appId: string; readonly original: string }>(
    views: readonly V[],
    toEntry: (view: V) => JsonObject | undefined,
  ): readonly JsonObject[] {
    const entries: JsonObject[] = []
    for (const view of views) {
      if (!names.serves(view.appId)) continue
      const entry = toEntry(view)
      if (entry !== undefined) entries.push(entry)
      else logger.warn('Left out of a list: clients would refuse it.', { provider: view.appId, name: view.original })
    }
    return entries
  }

  const resources: Shelves['resources'] = (views) =>
    publish(views, (view) => publishResource(view.definition, names.shownUri(view)))

  return {
    tools(who, can) {
      const views = host.tools.list(who)
      const key = [...can].sort().join()
      const known = toolShelves.get(views) ?? new Map<string, Shelf>()
      toolShelves.set(views, known)
      const shelf =
        known.get(key) ??
        shelfOf(
          publish(
            views.filter((view) => view.needs.every((need) => can.has(need))),
            (view) => toPublishedTool({ ...view, name: names.shownTool(view) }),
          ),
        )
      known.set(key, shelf)
      return shelf
    },
    isVisible(who, name) {
      const views = host.tools.list(who)
      const known = nameSets.get(views) ?? new Set(views.map((view) => view.name))
      nameSets.set(views, known)
      return known.has(name)
    },
    hidden(who) {
      const served = (views: readonly ToolView[]) => views.filter((view) => names.serves(view.appId)).length
      return Math.max(0, served(host.tools.all()) - served(host.tools.list(who)))
    },
    features(who) {
      const list = host.features.list(who)
      const known = featureShelves.get(list)
      if (known !== undefined) return known
      const made = {
        prompts: shelfOf(publish(list.prompts, (view) => publishPrompt(view.definition, names.shownPrompt(view)))),
        templates: shelfOf(publish(list.templates, (view) => publishTemplate(view.definition, names.shownUri(view)))),
        resources: shelfOf(resources(list.resources)),
      }
      featureShelves.set(list, made)
      return made
    },
    resources,
  }
}

function shelfOf(entries: readonly JsonObject[]): Shelf {
  return { entries, fingerprint: createHash('sha256').update(JSON.stringify(entries)).digest('hex') }
}
