import { isDeepStrictEqual } from 'node:util'
import { RollcallError } from '@rollcall/plugin'
import type { LoadedPlugin, PluginFailure } from './loaded-plugin.ts'
import type { PluginCandidate } from './plugin-candidate.ts'
import { pluginFailure } from './plugin-failure.ts'
import { reservedAppIds } from './reserved-app-ids.ts'

/**
 * Settles by configuration order, before any of their code runs, which of several plugins stays.
 *
 * A folder, a package name and an appId belong to one plugin. The first keeps them even when it fails to load later:
 * no other plugin inherits its tools' names by its failure. The same folder a second time is the same plugin.
 */
export function keepFirst(
  candidates: readonly PluginCandidate[],
  known: readonly LoadedPlugin[],
): { readonly kept: readonly PluginCandidate[]; readonly failures: readonly PluginFailure[] } {
  const holders = new Map<string, Holder>()
  for (const plugin of known) for (const hold of holdsOf(plugin)) holders.set(hold.join(' '), plugin)

  const kept: PluginCandidate[] = []
  const failures: PluginFailure[] = []
  for (const candidate of candidates) {
    const holds = holdsOf(candidate)
    const taken = holds.find((hold) => holders.has(hold.join(' ')))
    const holder = holders.get(taken?.join(' ') ?? '')
    if (taken === undefined || holder === undefined) {
      for (const hold of holds) holders.set(hold.join(' '), candidate)
      kept.push(candidate)
    } else if (!isRepetition(candidate, holder, known)) {
      failures.push(pluginFailure(candidate, duplicate(candidate, holder, taken), { phase: 'load', durationMs: 0 }))
    }
  }
  return { kept, failures }
}

type Holder = LoadedPlugin | PluginCandidate
type Hold = readonly [kind: 'folder' | 'appId' | 'name', what: string]

function holdsOf({ folder, name, appIds }: Holder): readonly Hold[] {
  const claimed = appIds.filter((appId) => !reserved.has(appId))
  return [
    ...(folder === undefined ? [] : [['folder', folder] as const]),
    ...claimed.map((appId) => ['appId', appId] as const),
    ['name', name],
  ]
}

const reserved: ReadonlySet<string> = new Set(reservedAppIds)

function isRepetition(candidate: PluginCandidate, holder: Holder, known: readonly Holder[]): boolean {
  const samePlace = candidate.folder !== undefined && candidate.folder === holder.folder
  return samePlace && !known.includes(holder) && isDeepStrictEqual(candidate.options, holder.options)
}

function duplicate(candidate: PluginCandidate, holder: Holder, [kind, what]: Hold): RollcallError {
  const [here, there] = [placeOf(candidate), placeOf(holder)]
  const shared = {
    folder: `${here} is configured already, as ${there}`,
    appId: `${here} declares the appId "${what}", which ${there} has declared before it`,
    name: `${here} has the name "${what}", which ${there} has before it`,
  }
  return new RollcallError('PLUGIN_DUPLICATE', `${shared[kind]}.`, {
    hint: `Remove ${candidate.from} or ${holder.from} from "plugins"; the first by configuration order is kept.`,
  })
}

function placeOf({ from, folder }: Holder): string {
  return folder === undefined ? `a plugin given in ${from}` : `${from} (${folder})`
}
