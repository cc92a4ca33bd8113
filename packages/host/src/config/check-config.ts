import { configInvalid } from './config-invalid.ts'
import { type Config, configSchema } from './config-schema.ts'
import { joinPath } from './fault.ts'
import { keylessFaults } from './keyless-faults.ts'
import { policyFaults } from './policy-faults.ts'
import { schemaFaults } from './schema-faults.ts'
import { isPlainObject } from './schema-node.ts'

/**
 * Checks what a configuration file holds and gives it back typed, as a copy without `undefined` values.
 *
 * @param about `file`: its name, for the message.
 * @throws {RollcallError} `CONFIG_INVALID` with all faults at once; `data.faults` is `[{ path, message }]`.
 */
export function checkConfig(value: unknown, about: { readonly file: string }): Config {
  const faults = [
    ...schemaFaults(configSchema, value),
    ...keylessFaults(value),
    ...policyFaults(value, profilesOf(value)),
  ]
  if (faults.length > 0) throw configInvalid(faults, about.file)
  // Checked by the very schema that the type is made from.
  return plainCopy(value) as Config
}

function profilesOf(value: unknown): Parameters<typeof policyFaults>[1] {
  const profiles: unknown = isPlainObject(value) ? Reflect.get(value, 'profiles') : undefined
  if (!isPlainObject(profiles)) return []
  return Object.entries(profiles).map(([name, profile]) => [joinPath('profiles', name), profile] as const)
}

function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy)
  if (!isPlainObject(value)) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.map(([key, item]) => [key, plainCopy(item)]))
}
