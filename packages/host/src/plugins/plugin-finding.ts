import { type Finding, isRollcallError, type Phase, RollcallError, type RollcallErrorCode } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { placeOf } from '../isolation/place-of.ts'
import type { LoadedPlugin } from './loaded-plugin.ts'

/** Reports a fault of a plugin as a finding; anything but a `RollcallError` counts as `PLUGIN_INVALID`. */
export function pluginFinding(
  { name, appIds, folder }: Pick<LoadedPlugin, 'name' | 'appIds' | 'folder'>,
  error: unknown,
  phase: Phase,
): Finding & { readonly code: RollcallErrorCode } {
  const fault = isRollcallError(error) ? error : unexpected(name, error)
  const appId = typeof fault.data?.appId === 'string' ? fault.data.appId : appIds[0]
  const migration = migrations[fault.code]
  const { message, causes } = describeThrown(fault)
  const place = placeOf(error, folder)
  return {
    code: fault.code,
    ...(migration !== undefined && { migration }),
    severity: severities[fault.code] ?? 'error',
    about: { plugin: name, ...(appId !== undefined && { appId }) },
    phase,
    message,
    hint: fault.hint,
    causes: place === undefined ? causes : [...causes, place],
  }
}

function unexpected(name: string, error: unknown): RollcallError {
  return new RollcallError('PLUGIN_INVALID', `${name} can't be used: ${describeThrown(error).message}`, {
    hint: 'Read the causes.',
    cause: error,
  })
}

const severities: { readonly [C in RollcallErrorCode]?: Finding['severity'] } = {
  PLUGIN_NEW: 'info',
  REGISTRATION_CLOSED: 'warn',
}

const migrations: { readonly [C in RollcallErrorCode]?: `MIG${number}` } = {
  LISTENER_FAILED: 'MIG005',
  LISTENER_TIMEOUT: 'MIG005',
  PROVIDER_FOREIGN: 'MIG006',
  PROVIDER_RESERVED: 'MIG007',
  REGISTRATION_CLOSED: 'MIG013',
  PLUGIN_API_MISMATCH: 'MIG016',
  PLUGIN_INVALID: 'MIG019',
}
