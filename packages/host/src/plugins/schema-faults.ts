import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { Errors } from 'typebox/value'

const maxFaults = 100

/** Everything that is wrong with a value, one line a fault, each with its path under `root`. Values are not shown. */
export function schemaFaults(schema: TSchema, value: unknown, root: string): readonly string[] {
  const errors = withMaxErrors(() => Errors(schema, value))
  const faults = errors.flatMap((error) => {
    const path = root + error.instancePath.replaceAll('/', '.')
    // An unknown key comes twice: as a schema that is `false`, and by its name.
    if (error.keyword === 'boolean') return []
    if (error.keyword === 'required') return error.params.requiredProperties.map((key) => `${path}.${key} is missing`)
    if (error.keyword === 'additionalProperties')
      return error.params.additionalProperties.map((key) => `${path}.${key} is not known`)
    return [`${path} ${error.message}`]
  })
  return [...new Set(faults)]
}

// The library stops at eight errors; its setting is one for the whole process, so it is put back.
function withMaxErrors<T>(run: () => T): T {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: maxFaults })
  try {
    return run()
  } finally {
    Settings.Set({ maxErrors })
  }
}
