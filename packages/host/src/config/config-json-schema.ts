import type { Json, JsonObject } from '@rollcall/plugin'
import { configSchema } from './config-schema.ts'

// Words that only our own check reads.
const ownWords = new Set(['noun', 'keyNoun', 'concealed', 'json', 'check'])

/** A JSON Schema of the configuration file, for editors. Made from the schema that checks it. */
export function configJsonSchema(): JsonObject {
  const text = JSON.stringify(configSchema, (key, value: unknown) => (ownWords.has(key) ? undefined : value))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Rollcall configuration',
    ...(JSON.parse(text) as Record<string, Json>),
  }
}
