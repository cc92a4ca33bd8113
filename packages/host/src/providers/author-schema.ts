import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'

const maxFaults = 5
const validators = new WeakMap<TSchema, Validator>()

/** What a value breaks of a schema that an author wrote in code, each with its path; empty when it fits. */
export function faultsAgainst(schema: TSchema, value: unknown): readonly string[] {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  if (validator.Check(value)) return []
  const [, faults] = validator.Errors(value)
  return faults.slice(0, maxFaults).map(({ instancePath, message }) => `${instancePath || 'the whole'} ${message}`)
}

/** Tells whether a schema holds rules in code (`Type.Refine`), which its JSON form can't carry. */
export function hasRefinements(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.hasOwn(schema, '~refine') || Object.values(schema).some(hasRefinements)
}
