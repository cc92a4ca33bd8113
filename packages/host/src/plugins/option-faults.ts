import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { Errors } from 'typebox/value'

const maxFaults = 100

/** Everything in the options of a plugin that breaks its schema, one line a fault with its path. Shows no values. */
export function optionFaults(schema: TSchema, options: unknown): readonly string[] {
  const errors = withMaxErrors(() => Errors(schema, options))
  const faults = errors.flatMap((error) => {
    const path = `options${error.instancePath.replaceAll('/', '.')}`
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
