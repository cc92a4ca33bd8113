import type { Json } from '@rollcall/plugin'
import { isJsonObject } from './subschemas.ts'

/** The type names of JSON Schema. */
const schemaTypes = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const

interface Shape {
  readonly needs: string
  fits(value: Json): boolean
}

const text: Shape = { needs: 'must be a string', fits: (value) => typeof value === 'string' }
const number: Shape = { needs: 'must be a number', fits: (value) => typeof value === 'number' }
const count: Shape = {
  needs: 'must be a whole number from 0',
  fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
}
const list: Shape = { needs: 'must be a list', fits: Array.isArray }
const schemas: Shape = {
  needs: 'must be a list of at least one schema',
  fits: (value) => Array.isArray(value) && value.length > 0,
}
const map: Shape = { needs: 'must be an object', fits: isJsonObject }
const names: Shape = { needs: 'must be a list of names', fits: isNames }
// Draft 4 wrote a flag beside `minimum`; draft 3 wrote one where later drafts write the list of names.
const bound: Shape = { needs: 'must be a number', fits: (value) => ['number', 'boolean'].includes(typeof value) }
const requirement: Shape = { needs: names.needs, fits: (value) => typeof value === 'boolean' || isNames(value) }

/** What the value of a keyword has to look like. A keyword that can't be read would be a rule that nobody keeps. */
export const keywordShapes: { readonly [keyword: string]: Shape } = {
  $anchor: text,
  $defs: map,
  $dynamicAnchor: text,
  $dynamicRef: text,
  $id: text,
  $recursiveRef: text,
  $ref: text,
  allOf: schemas,
  anyOf: schemas,
  definitions: map,
  dependencies: map,
  dependentRequired: { needs: 'must map names to lists of names', fits: isMapOfNames },
  dependentSchemas: map,
  enum: list,
  exclusiveMaximum: bound,
  exclusiveMinimum: bound,
  format: text,
  maxContains: count,
  maxItems: count,
  maxLength: count,
  maxProperties: count,
  maximum: number,
  minContains: count,
  minItems: count,
  minLength: count,
  minProperties: count,
  minimum: number,
  multipleOf: { needs: 'must be a number above 0', fits: (value) => typeof value === 'number' && value > 0 },
  oneOf: schemas,
  pattern: text,
  patternProperties: map,
  prefixItems: schemas,
  properties: map,
  required: requirement,
  type: { needs: `must be one of ${schemaTypes.join(', ')}, or a list of these`, fits: isType },
  uniqueItems: { needs: 'must be true or false', fits: (value) => typeof value === 'boolean' },
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isMapOfNames(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every(isNames)
}

function isType(value: Json): boolean {
  const types: readonly Json[] = Array.isArray(value) ? value : [value]
  return types.length > 0 && types.every((type) => (schemaTypes as readonly Json[]).includes(type))
}
