import { hasHiddenCharacters, type Json, type JsonSchema, visibleText } from '@rollcall/plugin'

const readKeys: ReadonlySet<string> = new Set(['title', 'description', '$comment'])
// By what stands there a tool is called: another value would be another one.
const valueKeys: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/**
 * A schema whose texts hide nothing: a client reads of a parameter what the person read who accepted it. The schema itself
 * where nothing is hidden.
 */
export function visibleSchema(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema)
  // Controls and halves of characters stand there as escapes.
  const mayHide = /\\u[0-9a-f]{4}/.test(text) || hasHiddenCharacters(text)
  return mayHide ? (visible(schema, '') as JsonSchema) : schema
}

function visible(value: Json, key: string): Json {
  if (typeof value === 'string') return readKeys.has(key) ? visibleText(value) : value
  if (typeof value !== 'object' || value === null || valueKeys.has(key)) return value
  if (Array.isArray(value)) return value.map((part: Json) => visible(part, ''))
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, visible(part, name)]))
}
