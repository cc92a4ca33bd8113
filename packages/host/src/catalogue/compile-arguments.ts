import type { Json, JsonObject, JsonSchema } from '@rollcall/plugin'
import { CheckRun, faultText, type Rule, TooCostly } from './check/check-run.ts'
import { combiningRules } from './check/combining-rules.ts'
import { itemRules, propertyRules } from './check/part-rules.ts'
import { unevaluatedRules } from './check/unevaluated-rules.ts'
import { valueRules } from './check/value-rules.ts'
import { lintSchema, type SchemaTargets } from './lint-schema.ts'

/** The arguments as they came, or all that is wrong with them. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string }

/**
 * Makes the check of arguments against a tool's original input schema. Nothing is read before the first check.
 * Nothing is coerced, filled in or removed; messages name paths and show no value longer than 80 characters.
 * A check that would take longer than about 50 ms is refused instead, whatever the schema.
 */
export function compileArguments(schema: JsonSchema): (args: Json) => ParsedArguments {
  let check: ((args: Json) => ParsedArguments) | undefined
  return (args) => {
    check ??= compile(schema)
    return check(args)
  }
}

function compile(schema: JsonSchema): (args: Json) => ParsedArguments {
  const linted = lintSchema(schema)
  if (!linted.ok) return () => ({ ok: false, message: `the input schema can not be used: ${linted.why}` })
  // Rules are made when a value first reaches their schema: a union of thousands costs only what is used of it.
  const made = new Map<JsonObject, readonly Rule[]>()
  const rulesOf = (part: JsonObject): readonly Rule[] => {
    const rules = made.get(part) ?? rulesFor(part, linted.targets)
    made.set(part, rules)
    return rules
  }
  return (args) => {
    const run = new CheckRun(rulesOf)
    try {
      if (run.check(linted.schema, args)) return { ok: true, value: args }
    } catch (error) {
      const what = error instanceof TooCostly ? 'take too long to check against the input schema' : 'can not be read'
      return { ok: false, message: `the arguments: ${what}` }
    }
    return { ok: false, message: run.faults.map(faultText).join('; ') }
  }
}

function rulesFor(schema: JsonObject, targets: SchemaTargets): readonly Rule[] {
  const rules: Rule[] = []
  for (const [keyword, given] of Object.entries(schema)) {
    const rule = Object.hasOwn(valueRules, keyword) ? valueRules[keyword]?.(given, schema) : undefined
    if (rule !== undefined) rules.push(rule)
  }
  return [
    ...rules,
    ...propertyRules(schema),
    ...itemRules(schema),
    ...combiningRules(schema, targets),
    ...unevaluatedRules(schema, targets),
  ]
}
