import type { PluginEntry } from '../host-options.ts'
import { keepAlive } from '../isolation/keep-alive.ts'
import type { Clock } from '../ports/clock.ts'
import { importPlugin } from './import-plugin.ts'
import { keepFirst } from './keep-first.ts'
import type { LoadedPlugin, PluginFailure } from './loaded-plugin.ts'
import { parseOptions } from './parse-options.ts'
import type { PluginCandidate } from './plugin-candidate.ts'
import { pluginFailure } from './plugin-failure.ts'
import { preparePlugin } from './prepare-plugin.ts'
import { readEntry } from './read-entry.ts'

export interface LoadContext {
  /** Absolute folder from which plugins are resolved. */
  readonly cwd: string
  /** Position of the first entry; the others follow. */
  readonly startOrder: number
  /** Values of `${VAR}` in options that come from a configuration. */
  readonly variables: Readonly<Record<string, string>>
  /** The version of the plugin API that this host speaks. */
  readonly hostApi: string
  /** Milliseconds that the import of one plugin may take. */
  readonly limitMs: number
  readonly clock: Clock
  /** Plugins that are loaded already; they keep their folders, names and appIds. */
  readonly known?: readonly LoadedPlugin[]
}

/** Both by configuration order. A plugin that is configured twice in the same way stands once in `loaded`. */
export interface LoadedPlugins {
  readonly loaded: readonly LoadedPlugin[]
  readonly failures: readonly PluginFailure[]
}

/**
 * Loads plugins in steps: find them all, settle duplicates by their manifests, then import what is kept. A fault costs
 * the plugin that has it. Runs no `setup`. Never rejects.
 */
export async function loadPlugins(entries: readonly PluginEntry[], context: LoadContext): Promise<LoadedPlugins> {
  const prepared = await Promise.all(entries.map((entry, index) => prepare(entry, context.startOrder + index, context)))
  const { kept, failures } = keepFirst(prepared.filter(isPlugin), context.known ?? [])
  const imported = await keepAlive(inTurn(kept, (candidate) => load(candidate, context), context.clock))
  return {
    loaded: imported.filter(isPlugin),
    failures: [...prepared.filter(isFailure), ...failures, ...imported.filter(isFailure)].sort(
      (one, other) => one.order - other.order,
    ),
  }
}

async function prepare(
  entry: PluginEntry,
  order: number,
  context: LoadContext,
): Promise<PluginCandidate | PluginFailure> {
  try {
    return await preparePlugin(readEntry(entry, order), context)
  } catch (error) {
    const unknown = { name: `plugins[${order}]`, version: '', appIds: [], order, from: `plugins[${order}]` }
    return pluginFailure({ ...unknown, onFailure: 'report' }, error, { phase: 'config', durationMs: 0 })
  }
}

async function load(candidate: PluginCandidate, context: LoadContext): Promise<LoadedPlugin | PluginFailure> {
  const startedAt = context.clock.now()
  try {
    const module = await importPlugin(candidate, context)
    const options = await parseOptions(candidate, module, context.variables)
    const { source: _source, ...identity } = candidate
    return { ...identity, module, options }
  } catch (error) {
    return pluginFailure(candidate, error, { phase: 'load', durationMs: context.clock.now() - startedAt })
  }
}

function isPlugin<P extends LoadedPlugin | PluginCandidate>(found: P | PluginFailure): found is P {
  return !isFailure(found)
}

function isFailure(found: LoadedPlugin | PluginCandidate | PluginFailure): found is PluginFailure {
  return 'finding' in found
}

/** Milliseconds after which an import that is not done holds up the next one no longer. */
const patienceMs = 250

/**
 * One after another: Node refuses CommonJS that requires an ES module which another import has begun and not finished,
 * and imports that shared one thread would use up each other's limits.
 */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>, clock: Clock): Promise<readonly R[]> {
  const running: Promise<R>[] = []
  for (const item of items) {
    const patience = new AbortController()
    const one = work(item).finally(() => patience.abort())
    running.push(one)
    await Promise.race([one, clock.sleep(patienceMs, patience.signal)])
  }
  return Promise.all(running)
}
