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
  const holders = new Map<string, LoadedPlugin | PluginCandidate>()
  for (const plugin of known) for (const key of keysOf(plugin)) holders.set(key, plugin)

  const kept: PluginCandidate[] = []
  const failures: PluginFailure[] = []
  for (const candidate of candidates) {
    const key = keysOf(candidate).find((key) => holders.has(key))
    const holder = key === undefined ? undefined : holders.get(key)
    if (key === undefined || holder === undefined) {
      for (const key of keysOf(candidate)) holders.set(key, candidate)
      kept.push(candidate)
    } else if (!isRepetition(candidate, holder, known)) {
      failures.push(pluginFailure(candidate, duplicate(candidate, holder, key), { phase: 'load', durationMs: 0 }))
    }
  }
  return { kept, failures }
}

function keysOf({ folder, name, appIds }: LoadedPlugin | PluginCandidate): readonly string[] {
  const claimed = appIds.filter((appId) => !reserved.has(appId))
  return [...(folder === undefined ? [] : [`folder ${folder}`]), ...claimed.map((id) => `appId ${id}`), `name ${name}`]
}

const reserved: ReadonlySet<string> = new Set(reservedAppIds)

function isRepetition(
  candidate: PluginCandidate,
  holder: LoadedPlugin | PluginCandidate,
  known: readonly (LoadedPlugin | PluginCandidate)[],
): boolean {
  const samePlace = candidate.folder !== undefined && candidate.folder === holder.folder
  return samePlace && !known.includes(holder) && isDeepStrictEqual(candidate.options, holder.options)
}

function duplicate(
  candidate: PluginCandidate,
  holder: LoadedPlugin | PluginCandidate,
  key: string,
): RollcallError {
  const [kind, what] = key.split(' ')
  const shared =
    kind === 'folder'
      ? `${placeOf(candidate)} is configured already, as ${placeOf(holder)}`
      : kind === 'appId'
        ? `${placeOf(candidate)} declares the appId "${what}", which ${placeOf(holder)} has declared before it`
        : `${placeOf(candidate)} has the name "${what}", which ${placeOf(holder)} has before it`
  return new RollcallError('PLUGIN_DUPLICATE', `${shared}.`, {
    hint: `Remove ${candidate.from} or ${holder.from} from "plugins"; the first by configuration order is kept.`,
  })
}

function placeOf({ from, folder }: LoadedPlugin | PluginCandidate): string {
  return folder === undefined ? `a plugin given in ${from}` : `${from} (${folder})`
}
