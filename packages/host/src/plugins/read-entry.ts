import { type Json, RollcallError } from '@rollcall/plugin'
import type { PluginRequest } from './plugin-candidate.ts'

/**
 * Tells the forms of an entry of `plugins` apart.
 *
 * @throws {RollcallError} `CONFIG_INVALID` for a value that has none of them.
 */
export function readEntry(entry: unknown, order: number): PluginRequest {
  if (typeof entry === 'string') return configured(entry, undefined, order, 'report')
  if (Array.isArray(entry) && typeof entry[0] === 'string' && entry.length <= 2)
    return configured(entry[0], entry[1], order, 'report')
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw unreadable(entry)

  const { specifier, appId, plugin, options, onFailure = 'report' } = entry as Readonly<Record<string, unknown>>
  if (onFailure !== 'report' && onFailure !== 'abort') throw unreadable(entry)
  if (typeof specifier === 'string') return configured(specifier, options, order, onFailure)
  if (plugin === undefined) throw unreadable(entry)
  return { order, from: 'code', onFailure, options: asJson(options), source: { kind: 'code', appId, plugin } }
}

function configured(
  specifier: string,
  options: unknown,
  order: number,
  onFailure: PluginRequest['onFailure'],
): PluginRequest {
  return { order, from: specifier, onFailure, options: asJson(options), source: { kind: 'configured', specifier } }
}

// A border: whether it is what the plugin expects is checked by its schema, before anything reads it.
function asJson(options: unknown): Json | undefined {
  return options as Json | undefined
}

function unreadable(entry: unknown): RollcallError {
  const seen = entry === null ? 'null' : Array.isArray(entry) ? 'a list' : typeof entry
  return new RollcallError('CONFIG_INVALID', `An entry of "plugins" can't be read (${seen}).`, {
    hint: 'Write a package name or folder, [name, options], { specifier, options?, onFailure?: "report" | "abort" }, or { appId, plugin, options? } in code.',
  })
}
