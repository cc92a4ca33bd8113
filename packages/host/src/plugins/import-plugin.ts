import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPlugin, type LegacyPlugin, type Plugin, RollcallError } from '@rollcall/plugin'
import { durationText } from '../isolation/duration-text.ts'
import { type Fault, runIsolated } from '../isolation/run-isolated.ts'
import type { Clock } from '../ports/clock.ts'
import type { LoadedPlugin } from './loaded-plugin.ts'
import type { PluginCandidate } from './plugin-candidate.ts'

/**
 * Runs the entry of a plugin and recognises what it exports.
 *
 * @throws {RollcallError} `PLUGIN_INVALID` for an entry that can't be loaded, with the missing specifier, or that exports
 * no plugin; `PLUGIN_TIMEOUT` for one that does not finish.
 */
export async function importPlugin(
  candidate: PluginCandidate,
  { limitMs, clock }: { readonly limitMs: number; readonly clock: Clock },
): Promise<LoadedPlugin['module']> {
  const { source, name, folder = '' } = candidate
  if (source.kind === 'code') return checked(moduleOf(source.plugin), name, 'what was given in code')

  const place = relative(folder, source.entry)
  const loading = await runIsolated(() => import(pathToFileURL(source.entry).href), { limitMs, clock })
  if (!loading.ok) throw importFailed(candidate, place, loading.fault, limitMs)
  return checked(exportOf(loading.value), name, `the default export of ${place}`)
}

/** ESM and `module.exports = …` give the plugin as default; `exports.default = …` gives it one step deeper. */
function exportOf(namespace: unknown): LoadedPlugin['module'] | undefined {
  const outer = defaultOf(namespace)
  return moduleOf(outer) ?? moduleOf(defaultOf(outer))
}

function defaultOf(value: unknown): unknown {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && 'default' in value
    ? value.default
    : undefined
}

function moduleOf(value: unknown): LoadedPlugin['module'] | undefined {
  if (isPlugin(value)) return { kind: 'plugin', plugin: value }
  return isLegacyPlugin(value) ? { kind: 'legacy', plugin: value } : undefined
}

function isLegacyPlugin(value: unknown): value is LegacyPlugin {
  return typeof value === 'object' && value !== null && 'register' in value && typeof value.register === 'function'
}

function checked(module: LoadedPlugin['module'] | undefined, name: string, what: string): LoadedPlugin['module'] {
  if (module === undefined)
    throw new RollcallError('PLUGIN_INVALID', `${name} is no plugin: ${what} was not made by definePlugin.`, {
      hint: 'Write `export default definePlugin({ setup(ctx) { … } })` with definePlugin of @rollcall/plugin.',
    })
  const fault = module.kind === 'plugin' ? shapeFault(module.plugin) : undefined
  if (fault === undefined) return module
  throw new RollcallError('PLUGIN_INVALID', `${name} is no plugin: ${fault}.`, {
    hint: 'definePlugin takes { options?: Type.Object({ … }), setup(ctx), dispose?() }.',
  })
}

function shapeFault({ setup, dispose, options }: Plugin): string | undefined {
  if (typeof setup !== 'function') return `its setup is no function but ${typeof setup}`
  if (dispose !== undefined && typeof dispose !== 'function') return `its dispose is no function but ${typeof dispose}`
  const isSchema = options === undefined || (typeof options === 'object' && options !== null)
  return isSchema ? undefined : `its options are no schema but ${typeof options}`
}

function importFailed({ name, folder }: PluginCandidate, place: string, fault: Fault, limitMs: number): RollcallError {
  if (fault.kind === 'timedOut')
    return new RollcallError(
      'PLUGIN_TIMEOUT',
      `${name}: its entry ${place} didn't load within ${durationText(limitMs)}.`,
      {
        hint: 'Move slow work out of the top level of the module, or raise "pluginTimeoutMs".',
      },
    )
  const missing = missingSpecifier(fault)
  if (missing === undefined)
    return new RollcallError('PLUGIN_INVALID', `${name} can't be loaded: its entry ${place} threw: ${fault.message}`, {
      hint: `The fault lies in ${place} of the plugin, or in what it imports.`,
      cause: fault.error,
    })
  return new RollcallError('PLUGIN_INVALID', `${name} can't be loaded: "${missing}", which it imports, is missing.`, {
    hint: `Install the dependencies of ${folder}, or correct the import of "${missing}".`,
    cause: fault.error,
  })
}

function missingSpecifier({ error, message }: Fault): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  return /^Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1]
}
