import { type Finding, isRollcallError, type Phase, RollcallError, type RollcallErrorCode } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { PluginFailure } from './loaded-plugin.ts'

/** What is known of a plugin, however far it got. */
export type PluginIdentity = Omit<PluginFailure, 'state' | 'finding' | 'durationMs'>

/** Reports what kept a plugin from going on; anything but a `RollcallError` counts as `PLUGIN_INVALID`. */
export function pluginFailure(
  plugin: PluginIdentity,
  error: unknown,
  { phase, durationMs }: { readonly phase: Phase; readonly durationMs: number },
): PluginFailure {
  const { name, version, appIds, order, from, onFailure } = plugin
  const fault = isRollcallError(error)
    ? error
    : new RollcallError('PLUGIN_INVALID', `${name} can't be used: ${describeThrown(error).message}`, {
        hint: 'Read the causes.',
        cause: error,
      })
  const state = stateOf(fault.code)
  const migration = migrationOf[fault.code]
  const { message, causes } = describeThrown(fault)
  const finding: Finding = {
    code: fault.code,
    ...(migration !== undefined && { migration }),
    severity: state === 'held' ? 'info' : 'error',
    about: { plugin: name, ...(appIds[0] !== undefined && { appId: appIds[0] }) },
    phase,
    message,
    hint: fault.hint,
    causes,
  }
  return { name, version, appIds, order, from, onFailure, state, finding, durationMs }
}

/** `rejected`: by a rule, whatever the plugin's code does. `failed`: something is broken. */
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

const migrationOf: { readonly [C in RollcallErrorCode]?: `MIG${number}` } = {
  LISTENER_FAILED: 'MIG005',
  LISTENER_TIMEOUT: 'MIG005',
  PROVIDER_FOREIGN: 'MIG006',
  PROVIDER_RESERVED: 'MIG007',
  PLUGIN_API_MISMATCH: 'MIG016',
  PLUGIN_INVALID: 'MIG019',
}
