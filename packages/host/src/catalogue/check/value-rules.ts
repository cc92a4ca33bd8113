import type { Json, JsonObject } from '@rollcall/plugin'
import { Format } from 'typebox/format'
import { linearPattern } from '../linear-pattern.ts'
import { isJsonObject } from '../subschemas.ts'
import { briefValue } from './brief-value.ts'
import type { CheckRun, Rule } from './check-run.ts'
import { JsonSet } from './json-set.ts'

const maxNamed = 10

/** Makes the rule of one keyword from its value. */
export type RuleMaker = (given: Json, schema: JsonObject) => Rule | undefined

/** The keywords that speak about a value itself. Each passes values of kinds that it doesn't speak about. */
export const valueRules: { readonly [keyword: string]: RuleMaker } = {
  type(given) {
    const types = (Array.isArray(given) ? given : [given]) as readonly string[]
    return (value, run) =>
      types.some((type) => isOfType(value, type)) ||
      run.fault(() => `must be ${types.join(' or ')}, not ${kindOf(value)}`)
  },
  enum(given) {
    const allowed = given as readonly Json[]
    const known = new JsonSet(allowed)
    const named = () =>
      allowed
        .slice(0, maxNamed)
        .map((one) => briefValue(one))
        .join(', ')
    const more = allowed.length > maxNamed ? ` or ${allowed.length - maxNamed} more` : ''
    return (value, run) =>
      known.has(value, run) || run.fault(() => `must be one of ${named()}${more}, not ${briefValue(value)}`)
  },
  const(given) {
    const known = new JsonSet([given])
    return (value, run) =>
      known.has(value, run) || run.fault(() => `must be ${briefValue(given)}, not ${briefValue(value)}`)
  },

  minimum: (given, schema) =>
    schema.exclusiveMinimum === true
      ? numbers((value) => value > (given as number), `must be above ${given}`)
      : numbers((value) => value >= (given as number), `must be at least ${given}`),
  maximum: (given, schema) =>
    schema.exclusiveMaximum === true
      ? numbers((value) => value < (given as number), `must be below ${given}`)
      : numbers((value) => value <= (given as number), `must be at most ${given}`),
  exclusiveMinimum: (given) =>
    typeof given === 'number' ? numbers((value) => value > given, `must be above ${given}`) : undefined,
  exclusiveMaximum: (given) =>
    typeof given === 'number' ? numbers((value) => value < given, `must be below ${given}`) : undefined,
  multipleOf: (given) => numbers((value) => isMultiple(value, given as number), `must be a multiple of ${given}`),

  minLength: (given) =>
    texts(
      (value) => value.length / 4,
      (value) => codePoints(value) >= (given as number),
      `must have at least ${given} characters`,
    ),
  maxLength: (given) =>
    texts(
      (value) => value.length / 4,
      (value) => codePoints(value) <= (given as number),
      `must have at most ${given} characters`,
    ),
  pattern(given) {
    const pattern = linearPattern(given as string)
    if (pattern === undefined)
      return (value, run) => typeof value !== 'string' || run.fault(() => 'has a pattern that can not run')
    return texts(
      (value) => pattern.cost(value.length),
      (value) => pattern.test(value),
      `must match the pattern ${briefValue(given)}`,
    )
  },
  format(given) {
    if (!Format.Has(given as string)) return undefined
    return texts(
      (value) => value.length,
      (value) => Format.Test(given as string, value),
      `must be of the format ${given}`,
    )
  },

  minItems: (given) => lists((value) => value.length >= (given as number), `must have at least ${given} items`),
  maxItems: (given) => lists((value) => value.length <= (given as number), `must have at most ${given} items`),
  uniqueItems: (given) => (given === true ? uniqueItems : undefined),

  minProperties: (given) => objects((keys) => keys >= (given as number), `must have at least ${given} properties`),
  maxProperties: (given) => objects((keys) => keys <= (given as number), `must have at most ${given} properties`),
  required(given) {
    if (!Array.isArray(given)) return undefined
    const names = given as readonly string[]
    return (value, run) => !isJsonObject(value) || hasAll(value, names, run)
  },
  dependentRequired: (given) => (value, run) =>
    !isJsonObject(value) ||
    Object.entries(given as { [key: string]: readonly string[] })
      .filter(([key]) => Object.hasOwn(value, key))
      .every(([, names]) => hasAll(value, names, run)),
}

function numbers(fits: (value: number) => boolean, message: string): Rule {
  return (value, run) => typeof value !== 'number' || fits(value) || run.fault(() => `${message}, not ${value}`)
}

function texts(cost: (value: string) => number, fits: (value: string) => boolean, message: string): Rule {
  return (value, run) => {
    if (typeof value !== 'string') return true
    run.spend(Math.ceil(cost(value)))
    return fits(value) || run.fault(() => `${message}, not ${briefValue(value)}`)
  }
}

function lists(fits: (value: readonly Json[]) => boolean, message: string): Rule {
  return (value, run) => !Array.isArray(value) || fits(value) || run.fault(() => `${message}, not ${value.length}`)
}

function objects(fits: (keys: number) => boolean, message: string): Rule {
  return (value, run) => {
    if (!isJsonObject(value)) return true
    const keys = Object.keys(value).length
    run.spend(Math.ceil(keys / 16))
    return fits(keys) || run.fault(() => `${message}, not ${keys}`)
  }
}

const uniqueItems: Rule = (value, run) => {
  if (!Array.isArray(value)) return true
  const seen = new JsonSet()
  const twice = (value as readonly Json[]).findIndex((item) => !seen.add(item, run))
  return twice === -1 || run.fault(() => `must have no item twice: item ${twice} is equal to one before it`)
}

function hasAll(value: JsonObject, names: readonly string[], run: CheckRun): boolean {
  run.spend(Math.ceil(names.length / 4))
  const missing = names.filter((name) => !Object.hasOwn(value, name))
  for (const name of missing) run.fault(() => 'is missing', { below: name })
  return missing.length === 0
}

function isOfType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : kindOf(value) === type
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor
  // 0.3 is a multiple of 0.1, though not in binary.
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
