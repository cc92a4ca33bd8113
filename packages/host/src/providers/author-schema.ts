import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/schema'

const maxFaults = 5
const validators = new WeakMap<TSchema, Validator>()

/** What a value breaks of a schema that an author wrote in code, each with its path; empty when it fits. */
export async function faultsAgainst(schema: TSchema, value: unknown): Promise<readonly string[]> {
  const validator = validators.get(schema) ?? (await compile(schema))
  if (validator.Check(value)) return []
  const [, faults] = validator.Errors(value)
  return faults.slice(0, maxFaults).map(({ instancePath, message }) => `${instancePath || 'the whole'} ${message}`)
}

async function compile(schema: TSchema): Promise<Validator> {
  const { Compile } = await import('typebox/schema')
  const validator = Compile(schema)
  validators.set(schema, validator)
  return validator
}

/** Tells whether a schema holds rules in code (`Type.Refine`), which its JSON form can't carry. */
export function hasRefinements(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.hasOwn(schema, '~refine') || Object.values(schema).some(hasRefinements)
}
