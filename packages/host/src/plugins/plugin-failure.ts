import type { Phase, RollcallErrorCode } from '@rollcall/plugin'
import type { LoadedPlugin, PluginFailure } from './loaded-plugin.ts'
import { pluginFinding } from './plugin-finding.ts'

/** What is known of a plugin, however far it got. */
export type PluginIdentity = Omit<PluginFailure, 'state' | 'finding' | 'durationMs'> & Pick<LoadedPlugin, 'folder'>

/** Reports what kept a plugin from going on. */
export function pluginFailure(
  plugin: PluginIdentity,
  error: unknown,
  { phase, durationMs }: { readonly phase: Phase; readonly durationMs: number },
): PluginFailure {
  const { name, version, appIds, order, from, onFailure } = plugin
  const finding = pluginFinding(plugin, error, phase)
  return { name, version, appIds, order, from, onFailure, state: stateOf(finding.code), finding, durationMs }
}

/** `rejected`: by a rule, whatever the plugin's code would do. `failed`: something is broken. */
function stateOf(code: RollcallErrorCode): PluginFailure['state'] {
  if (code === 'PLUGIN_NEW') return 'held'
  return rejections.has(code) ? 'rejected' : 'failed'
}

const rejections: ReadonlySet<RollcallErrorCode> = new Set([
  'PLUGIN_DUPLICATE',
  'PLUGIN_API_MISMATCH',
  'PROVIDER_RESERVED',
  'PROVIDER_FOREIGN',
])
