import { isRollcallError, type Json, RollcallError } from '@rollcall/plugin'
import { expandJson } from '../config/expand-json.ts'
import type { LoadedPlugin } from './loaded-plugin.ts'
import type { PluginCandidate } from './plugin-candidate.ts'

/**
 * The options for a plugin's `setup`: a copy, with variables put in where they come from a configuration, and with the
 * schema's defaults.
 *
 * @throws {RollcallError} `CONFIG_INVALID` with every fault and its path; `VARIABLE_MISSING`.
 */
export async function parseOptions(
  candidate: PluginCandidate,
  module: LoadedPlugin['module'],
  variables: Readonly<Record<string, string>>,
): Promise<Json | undefined> {
  const { name, options, source } = candidate
  const schema = module.kind === 'plugin' ? module.plugin.options : undefined
  if (schema === undefined) {
    if (options === undefined) return undefined
    throw new RollcallError('CONFIG_INVALID', `${name} takes no options, but some are given.`, {
      hint: `Remove the options of ${candidate.from} from "plugins", or give the plugin an options schema.`,
    })
  }

  const copy = copyOf(name, options ?? {})
  const expanded = source.kind === 'configured' ? expand(name, copy, variables) : copy
  // Most plugins have no options, so what checks them is loaded here.
  const [{ Default }, { optionFaults }] = await Promise.all([import('typebox/value'), import('./option-faults.ts')])
  let faults: readonly string[]
  let parsed: unknown
  try {
    parsed = Default(schema, expanded)
    faults = optionFaults(schema, parsed)
  } catch (cause) {
    throw new RollcallError('PLUGIN_INVALID', `${name} has an options schema that can't be used.`, {
      hint: 'Write it with Type of @rollcall/plugin: options: Type.Object({ … }).',
      cause,
    })
  }
  if (faults.length > 0)
    throw new RollcallError('CONFIG_INVALID', `The options of ${name} don't fit: ${faults.join('; ')}.`, {
      hint: `Correct them in the entry of ${candidate.from} in "plugins".`,
    })
  // The schema of the plugin has just said that it is.
  return parsed as Json
}

function copyOf(name: string, options: Json): Json {
  try {
    return structuredClone(options)
  } catch (cause) {
    throw new RollcallError('CONFIG_INVALID', `The options of ${name} hold something that is no data.`, {
      hint: 'Options are plain objects, lists, texts, numbers, booleans and null.',
      cause,
    })
  }
}

function expand(name: string, options: Json, variables: Readonly<Record<string, string>>): Json {
  try {
    return expandJson(options, (variable) => (Object.hasOwn(variables, variable) ? variables[variable] : undefined))
  } catch (error) {
    if (!isRollcallError(error)) throw error
    throw new RollcallError(error.code, `The options of ${name}: ${error.message}`, { hint: error.hint, cause: error })
  }
}
