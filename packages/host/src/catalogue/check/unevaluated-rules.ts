import type { Json, JsonObject } from '@rollcall/plugin'
import type { SchemaTargets } from '../lint-schema.ts'
import { isJsonObject } from '../subschemas.ts'
import type { CheckRun, Rule } from './check-run.ts'
import { branchOf } from './combining-rules.ts'
import { listShape, objectShape, schemasFor } from './part-rules.ts'

/** The parts of a value that some schema has spoken about: by key, or all. */
type Evaluated = Set<string | number> | 'all'

/** The rules about whatever no other schema in force for the same value has spoken about. */
export function unevaluatedRules(schema: JsonObject, targets: SchemaTargets): readonly Rule[] {
  const rules: Rule[] = []
  const { unevaluatedProperties, unevaluatedItems } = schema
  if (unevaluatedProperties !== undefined) {
    rules.push(
      (value, run) =>
        !isJsonObject(value) || checkRest(schema, unevaluatedProperties, Object.entries(value), value, run, targets),
    )
  }
  if (unevaluatedItems !== undefined) {
    rules.push(
      (value, run) =>
        !Array.isArray(value) || checkRest(schema, unevaluatedItems, [...value.entries()], value, run, targets),
    )
  }
  return rules
}

function checkRest(
  schema: JsonObject,
  unevaluated: Json,
  parts: readonly (readonly [string | number, Json])[],
  value: Json,
  run: CheckRun,
  targets: SchemaTargets,
): boolean {
  const evaluated = evaluatedBy(schema, value, run, targets, 'own')
  if (evaluated === 'all') return true
  let fits = true
  for (const [key, part] of parts) {
    if (evaluated.has(key) || run.checkAt(key, unevaluated, part)) continue
    fits = false
    if (run.hasEnough) break
  }
  return fits
}

function evaluatedBy(
  schema: Json,
  value: Json,
  run: CheckRun,
  targets: SchemaTargets,
  place: 'own' | 'below',
): Evaluated {
  if (!isJsonObject(schema)) return new Set()
  return run.nested(() => {
    const found = isJsonObject(value) ? evaluatedProperties(schema, value, run) : evaluatedItems(schema, value, run)
    const keyword = isJsonObject(value) ? 'unevaluatedProperties' : 'unevaluatedItems'
    // Below, `unevaluated…` has spoken about the rest; of the schema itself it is what is being asked.
    if (found === 'all' || (place === 'below' && schema[keyword] !== undefined)) return 'all'
    for (const part of inForce(schema, value, run, targets)) {
      const more = evaluatedBy(part, value, run, targets, 'below')
      if (more === 'all') return 'all'
      for (const key of more) found.add(key)
    }
    return found
  })
}

function evaluatedProperties(schema: JsonObject, value: JsonObject, run: CheckRun): Evaluated {
  const shape = objectShape(schema)
  if (shape.additional !== undefined) return 'all'
  const keys = Object.keys(value)
  run.spend(keys.length)
  return new Set(keys.filter((key) => schemasFor(shape, key, run).length > 0))
}

function evaluatedItems(schema: JsonObject, value: Json, run: CheckRun): Evaluated {
  if (!Array.isArray(value)) return new Set()
  const items = value as readonly Json[]
  const { tuple, rest } = listShape(schema)
  if (rest !== undefined) return 'all'
  run.spend(items.length)
  const { contains } = schema
  const isEvaluated = (item: Json, index: number) =>
    index < tuple.length || (contains !== undefined && run.attempt(contains, item) === undefined)
  return new Set(items.flatMap((item, index) => (isEvaluated(item, index) ? [index] : [])))
}

/** The schemas that apply to the same value and that it fits. */
function* inForce(schema: JsonObject, value: Json, run: CheckRun, targets: SchemaTargets): Iterable<Json> {
  yield* targets.get(schema) ?? []
  if (Array.isArray(schema.allOf)) yield* schema.allOf as readonly Json[]
  for (const forms of [schema.anyOf, schema.oneOf]) {
    for (const form of (forms ?? []) as readonly Json[]) if (run.attempt(form, value) === undefined) yield form
  }
  if (schema.if !== undefined) {
    if (run.attempt(schema.if, value) === undefined) yield schema.if
    yield branchOf(schema, value, run)
  }
  for (const dependent of [schema.dependentSchemas, schema.dependencies]) {
    if (!isJsonObject(dependent) || !isJsonObject(value)) continue
    for (const [key, part] of Object.entries(dependent)) if (Object.hasOwn(value, key)) yield part
  }
}
