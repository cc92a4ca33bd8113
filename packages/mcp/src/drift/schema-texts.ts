import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/** Deeper than this nobody writes a schema by hand. */
export const maxDepth = 64

const texts = new Set(['description', 'title'])
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemas = new Set(
  'items not if then else contains additionalProperties additionalItems unevaluatedProperties unevaluatedItems propertyNames'.split(
    ' ',
  ),
)

/** What the value of a keyword holds: a text for readers, schemas by name, in a row or alone, or anything else. */
export function kindOfKeyword(keyword: string): 'text' | 'map' | 'list' | 'schema' | 'value' {
  if (texts.has(keyword)) return 'text'
  if (maps.has(keyword)) return 'map'
  if (lists.has(keyword)) return 'list'
  return schemas.has(keyword) ? 'schema' : 'value'
}

/** The schema without what is only said to readers; a parameter that is called `title` is none of that. */
export function withoutTexts(schema: Json, depth = 0): Json {
  if (!isJsonObject(schema) || depth > maxDepth) return schema
  const below = (value: Json) => withoutTexts(value, depth + 1)
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = kindOfKeyword(keyword)
      if (kind === 'text') return []
      if (kind === 'map' && isJsonObject(value)) return [[keyword, mapValues(value, below)]]
      if (kind === 'list' && Array.isArray(value)) return [[keyword, (value as readonly Json[]).map(below)]]
      return [[keyword, kind === 'schema' ? below(value) : value]]
    }),
  )
}

function mapValues(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
