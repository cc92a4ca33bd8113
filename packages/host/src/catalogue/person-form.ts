import type { Json, JsonObject, JsonSchema } from '@rollcall/plugin'
import { compileArguments, type ParsedArguments } from './compile-arguments.ts'
import { isJsonObject } from './subschemas.ts'

/** What only a person may say about a call: some of its arguments. */
export interface PersonForm {
  readonly schema: JsonSchema
  readonly keys: readonly string[]
  /** Checks what a person has said. */
  parse(data: Json): ParsedArguments
}

/** The form of a schema whose root is an object with properties. */
export function personForm(schema: JsonSchema): PersonForm {
  return { schema, keys: Object.keys(keysOf(schema)), parse: compileArguments(schema) }
}

/** The schema of a tool without what a person is asked for: what a model may say. */
export function withoutKeys(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const { properties, required, ...rest } = schema
  if (!isJsonObject(properties)) return schema
  const left = Array.isArray(required) ? required.filter((key) => !keys.includes(String(key))) : []
  return {
    ...rest,
    properties: omit(properties, keys),
    ...(left.length > 0 && { required: left }),
  }
}

/** Arguments without these keys. */
export function omit(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
}

/** These keys of what a person has said, as far as they are there. */
export function pick(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)))
}

function keysOf({ properties }: JsonSchema): JsonObject {
  return isJsonObject(properties) ? properties : {}
}
