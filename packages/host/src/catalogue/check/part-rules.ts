import type { Json, JsonObject } from '@rollcall/plugin'
import { type LinearPattern, linearPattern } from '../linear-pattern.ts'
import { isJsonObject } from '../subschemas.ts'
import { briefValue } from './brief-value.ts'
import type { CheckRun, Rule } from './check-run.ts'

const maxNamed = 10

/** The rules about the properties of an object: each is checked by all schemas that speak about it. */
export function propertyRules(schema: JsonObject): readonly Rule[] {
  const rules: Rule[] = []
  const shape = objectShape(schema)
  if (shape.properties || shape.patterns.length > 0 || shape.additional !== undefined)
    rules.push((value, run) => !isJsonObject(value) || checkProperties(shape, value, run))
  const { propertyNames, dependentSchemas, dependencies } = schema
  if (propertyNames !== undefined)
    rules.push((value, run) => !isJsonObject(value) || checkNames(propertyNames, value, run))
  for (const dependent of [dependentSchemas, dependencies]) {
    if (isJsonObject(dependent))
      rules.push((value, run) => !isJsonObject(value) || checkDependents(dependent, value, run))
  }
  return rules
}

/** The rules about the items of a list. */
export function itemRules(schema: JsonObject): readonly Rule[] {
  const rules: Rule[] = []
  const { tuple, rest } = listShape(schema)
  if (tuple.length > 0 || rest !== undefined) {
    rules.push((value, run) => {
      if (!Array.isArray(value)) return true
      const schemaAt = (index: number) => (index < tuple.length ? tuple[index] : rest) ?? true
      return all(run, (value as readonly Json[]).entries(), ([index, item]) =>
        run.checkAt(index, schemaAt(index), item),
      )
    })
  }
  const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema
  if (contains !== undefined) {
    rules.push((value, run) => {
      if (!Array.isArray(value)) return true
      const found = (value as readonly Json[]).filter((item) => run.attempt(contains, item) === undefined).length
      if (found < (minContains as number))
        return run.fault(() => `must contain ${minContains} of a certain kind, not ${found}`)
      return (
        found <= (maxContains as number) ||
        run.fault(() => `must contain at most ${maxContains} of a certain kind, not ${found}`)
      )
    })
  }
  return rules
}

/** Which schemas speak about the properties of an object. */
export interface ObjectShape {
  readonly properties: JsonObject | undefined
  readonly patterns: readonly { readonly pattern: LinearPattern | undefined; readonly schema: Json }[]
  readonly additional: Json | undefined
}

export function objectShape(schema: JsonObject): ObjectShape {
  const { properties, patternProperties, additionalProperties } = schema
  const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : []
  return {
    properties: isJsonObject(properties) ? properties : undefined,
    patterns: patterns.map(([source, part]) => ({ pattern: linearPattern(source), schema: part })),
    additional: additionalProperties,
  }
}

/** The schemas that speak about one property by name; empty: what is said about additional ones counts. */
export function schemasFor(shape: ObjectShape, key: string, run: CheckRun): readonly Json[] {
  const found: Json[] = []
  const { properties } = shape
  if (properties !== undefined && Object.hasOwn(properties, key)) found.push(properties[key] ?? true)
  for (const { pattern, schema } of shape.patterns) {
    run.spend(1 + (pattern?.cost(key.length) ?? 0))
    // A pattern that can't run might have matched, so its schema counts.
    if (pattern === undefined || pattern.test(key)) found.push(schema)
  }
  return found
}

/** The schemas of the first items, and of those after them, in the words of whichever draft was used. */
export function listShape(schema: JsonObject): { readonly tuple: readonly Json[]; readonly rest: Json | undefined } {
  const { items, prefixItems, additionalItems } = schema
  if (Array.isArray(items)) return { tuple: items, rest: additionalItems }
  return { tuple: Array.isArray(prefixItems) ? prefixItems : [], rest: items }
}

function checkProperties(shape: ObjectShape, value: JsonObject, run: CheckRun): boolean {
  return all(run, Object.entries(value), ([key, item]) => {
    run.spend(1)
    const schemas = schemasFor(shape, key, run)
    if (schemas.length > 0) return all(run, schemas, (schema) => run.checkAt(key, schema, item))
    if (shape.additional === undefined || shape.additional === true) return true
    return shape.additional === false
      ? run.fault(() => unknownProperty(shape), { below: key })
      : run.checkAt(key, shape.additional, item)
  })
}

function unknownProperty({ properties, patterns }: ObjectShape): string {
  const names = Object.keys(properties ?? {})
  if (patterns.length > 0 || names.length > maxNamed) return 'is not a known property'
  return names.length === 0
    ? 'is not a known property: there are none'
    : `is not a known property; known are ${names.map((name) => briefValue(name, 'bare')).join(', ')}`
}

function checkNames(schema: Json, value: JsonObject, run: CheckRun): boolean {
  return all(run, Object.keys(value), (key) => {
    const fault = run.attempt(schema, key)
    return fault === undefined || run.fault(() => `is not allowed as a name: it ${fault.message()}`, { below: key })
  })
}

function checkDependents(dependent: JsonObject, value: JsonObject, run: CheckRun): boolean {
  return all(run, Object.entries(dependent), ([key, needs]) => {
    if (!Object.hasOwn(value, key)) return true
    if (!Array.isArray(needs)) return run.check(needs, value)
    return all(
      run,
      needs as readonly string[],
      (name) => Object.hasOwn(value, name) || run.fault(() => 'is missing', { below: name }),
    )
  })
}

/** Goes on after a fault, so that a caller hears about all of them. */
function all<T>(run: CheckRun, items: Iterable<T>, fits: (item: T) => boolean): boolean {
  let every = true
  for (const item of items) {
    if (fits(item)) continue
    every = false
    if (run.hasEnough) break
  }
  return every
}
