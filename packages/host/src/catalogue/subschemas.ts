import type { Json, JsonObject } from '@rollcall/plugin'

/** Where schemas stand in a schema, over all drafts in use. */
const single = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const maps = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'] as const

/** What stands at a place for a schema, sound or not, and the JSON pointer of that place below its parent. */
export interface Subschema {
  readonly at: string
  readonly schema: Json
}

/** Everything that stands directly below a schema in the place of a schema. */
export function* subschemas(schema: JsonObject): Iterable<Subschema> {
  for (const keyword of single) {
    if (Object.hasOwn(schema, keyword)) yield { at: `/${keyword}`, schema: schema[keyword] ?? null }
  }
  for (const keyword of lists) yield* inList(keyword, schema[keyword])
  for (const keyword of maps) yield* inMap(keyword, schema[keyword], () => true)
  if (Array.isArray(schema.items)) yield* inList('items', schema.items)
  else if (schema.items !== undefined) yield { at: '/items', schema: schema.items }
  // The older `dependencies` mixes schemas with lists of names.
  yield* inMap('dependencies', schema.dependencies, (value) => !Array.isArray(value))
}

function* inList(keyword: string, list: Json | undefined): Iterable<Subschema> {
  if (!Array.isArray(list)) return
  for (const [index, schema] of list.entries()) yield { at: `/${keyword}/${index}`, schema }
}

function* inMap(keyword: string, map: Json | undefined, isSchema: (value: Json) => boolean): Iterable<Subschema> {
  if (!isJsonObject(map)) return
  for (const [key, schema] of Object.entries(map)) if (isSchema(schema)) yield { at: `/${keyword}/${key}`, schema }
}

/** Tells an object from lists and scalars. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
