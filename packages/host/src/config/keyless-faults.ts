import type { Fault } from './fault.ts'
import { nearest } from './nearest.ts'
import { isPlainObject } from './schema-node.ts'

/** Faults of `http.keyless`: each name must be `default` or a profile that is served. Reads only what is well-formed. */
export function keylessFaults(config: unknown): readonly Fault[] {
  const { http, profiles } = membersOf(config)
  const { keyless } = membersOf(http)
  if (!Array.isArray(keyless)) return []
  const named = membersOf(profiles)
  return keyless.flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || name === 'default' || membersOf(named[name]).serve === true) return []
    const path = `http.keyless[${index}]`
    if (Object.hasOwn(named, name)) {
      return [{ path, message: `profile ${JSON.stringify(name)} is not served; set "profiles.${name}.serve" to true` }]
    }
    const near = nearest(name, ['default', ...Object.keys(named)])
    const guess = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
    return [{ path, message: `there is no profile ${JSON.stringify(name)}${guess}` }]
  })
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? { ...value } : {}
}
