import type { Json, JsonObject } from '@rollcall/plugin'

/** Where schemas stand in a schema, over all drafts in use: alone, in a list, or by name. */
const places = new Map<string, 'one' | 'list' | 'map'>([
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['contains', 'one'],
  ['contentSchema', 'one'],
  ['else', 'one'],
  ['if', 'one'],
  ['items', 'one'],
  ['not', 'one'],
  ['propertyNames', 'one'],
  ['then', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependencies', 'map'],
  ['dependentSchemas', 'map'],
  ['patternProperties', 'map'],
  ['properties', 'map'],
])

/** What stands at a place for a schema, sound or not. */
export interface Subschema {
  readonly keyword: string
  /** Its name or position under the keyword. */
  readonly key?: string | number
  readonly schema: Json
}

/** Everything that stands directly below a schema in the place of a schema. */
export function subschemas(schema: JsonObject): readonly Subschema[] {
  const found: Subschema[] = []
  for (const keyword of Object.keys(schema)) {
    const place = places.get(keyword)
    if (place === undefined) continue
    const value = schema[keyword] ?? null
    // `items` was a list once, for the first items.
    if (Array.isArray(value) && (place === 'list' || keyword === 'items')) {
      for (const [key, part] of (value as readonly Json[]).entries()) found.push({ keyword, key, schema: part })
    } else if (place === 'one') found.push({ keyword, schema: value })
    else if (place === 'map' && isJsonObject(value)) {
      for (const [key, part] of Object.entries(value))
        if (!isListOfNames(keyword, part)) found.push({ keyword, key, schema: part })
    }
  }
  return found
}

/** Tells an object from lists and scalars. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// The older `dependencies` mixes schemas with lists of names.
function isListOfNames(keyword: string, part: Json): boolean {
  return keyword === 'dependencies' && Array.isArray(part)
}
