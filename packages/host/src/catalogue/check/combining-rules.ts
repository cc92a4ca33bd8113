import type { Json, JsonObject } from '@rollcall/plugin'
import type { SchemaTargets } from '../lint-schema.ts'
import { type CheckRun, type Fault, faultText, type Rule } from './check-run.ts'

/** The rules that apply other schemas to the same value: references and combinations. */
export function combiningRules(schema: JsonObject, targets: SchemaTargets): readonly Rule[] {
  const rules: Rule[] = []
  const { allOf, anyOf, oneOf, not } = schema
  for (const target of targets.get(schema) ?? []) rules.push((value, run) => run.check(target, value))
  if (Array.isArray(allOf))
    for (const one of allOf as readonly Json[]) rules.push((value, run) => run.check(one, value))
  if (Array.isArray(anyOf)) rules.push((value, run) => fitsAny(anyOf, value, run))
  if (Array.isArray(oneOf)) rules.push((value, run) => fitsOne(oneOf, value, run))
  if (not !== undefined)
    rules.push(
      (value, run) => run.attempt(not, value) !== undefined || run.fault(() => 'is of a form that is not allowed'),
    )
  if (schema.if !== undefined) rules.push((value, run) => run.check(branchOf(schema, value, run), value))
  return rules
}

/** What `if` leads to for this value. */
export function branchOf(schema: JsonObject, value: Json, run: CheckRun): Json {
  const holds = run.attempt(schema.if ?? true, value) === undefined
  return (holds ? schema.then : schema.else) ?? true
}

function fitsAny(schemas: readonly Json[], value: Json, run: CheckRun): boolean {
  const faults: Fault[] = []
  for (const schema of schemas) {
    const fault = run.attempt(schema, value)
    if (fault === undefined) return true
    faults.push(fault)
  }
  return fitsNone(faults, run)
}

function fitsOne(schemas: readonly Json[], value: Json, run: CheckRun): boolean {
  const faults: Fault[] = []
  for (const schema of schemas) {
    const fault = run.attempt(schema, value)
    if (fault !== undefined) faults.push(fault)
  }
  const fitting = schemas.length - faults.length
  if (fitting === 0) return fitsNone(faults, run)
  return fitting === 1 || run.fault(() => `fits ${fitting} forms where exactly one is allowed`)
}

// The form that went furthest into the value is most likely the one that was meant.
function fitsNone(faults: readonly Fault[], run: CheckRun): false {
  const sources = faults.map((fault) => fault.from ?? fault)
  const from = sources.reduce((one, other) => (other.path.length > one.path.length ? other : one))
  return run.fault(() => `fits none of ${faults.length} forms; nearest: ${faultText(from)}`, { from })
}
