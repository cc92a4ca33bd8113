import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/** A prompt, written as a tool whose parameters are its arguments, so that both are compared in the same way. */
export function promptAsTool(prompt: JsonObject): JsonObject {
  const { arguments: listed = [], ...rest } = prompt
  const parameters = readArguments(listed)
  if (parameters === undefined) return prompt
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, more }) => [name, more])),
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  }
  return { ...rest, inputSchema }
}

interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  readonly more: JsonObject
}

/** Nothing where they are not what the protocol knows: then they are compared as they stand. */
function readArguments(listed: Json): readonly Parameter[] | undefined {
  if (!Array.isArray(listed)) return undefined
  const read = (listed as readonly Json[]).flatMap((each) => {
    if (!isJsonObject(each)) return []
    const { name, required = false, ...more } = each
    return typeof name === 'string' && typeof required === 'boolean' ? [{ name, isRequired: required, more }] : []
  })
  const isWhole = read.length === listed.length && new Set(read.map(({ name }) => name)).size === read.length
  return isWhole ? read : undefined
}
