import { type Json, type JsonSchema, RollcallError } from '@rollcall/plugin'

/**
 * Reads the arguments of a call from the command line: one JSON object, or `key=value` pairs guided by the tool's
 * schema (numbers, booleans and JSON where it says so, text otherwise; a repeated key fills a list).
 *
 * @throws {RollcallError} `USAGE` for a word without `=` or for text that begins like JSON and is none.
 */
export function parseArguments(words: readonly string[], schema: JsonSchema | undefined): Json {
  const [first] = words
  if (words.length === 1 && first !== undefined && /^\s*[{[]/.test(first)) return parseJson(first)
  const values = new Map<string, Json>()
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 1) {
      throw new RollcallError('USAGE', `"${word}" is neither key=value nor a JSON object.`, {
        hint: `Write arguments as key=value, or all of them as one JSON object: '{"key": "value"}'.`,
      })
    }
    const key = word.slice(0, at)
    const text = word.slice(at + 1)
    const types = typesOf(propertyOf(schema, key), schema)
    const before = values.get(key)
    if (types.has('array') && !/^\s*\[/.test(text)) {
      const item = readValue(text, typesOf(itemsOf(propertyOf(schema, key)), schema))
      values.set(key, [...(Array.isArray(before) ? before : []), item])
    } else values.set(key, readValue(text, types))
  }
  return Object.fromEntries(values)
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new RollcallError('USAGE', 'The arguments begin like JSON and are none.', {
      hint: 'Quote the whole object for your shell, or write key=value pairs.',
      cause,
    })
  }
}

/** What does not read as the type that the schema names stays text: the tool's own check says what is wrong. */
function readValue(text: string, types: ReadonlySet<string>): Json {
  if (types.has('string') || types.size === 0) return text
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.has('null') && text === 'null') return null
  const isNumeric = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
  if ((types.has('number') || types.has('integer')) && isNumeric) return Number(text)
  if (types.has('object') || types.has('array')) {
    try {
      return JSON.parse(text) as Json
    } catch {
      return text
    }
  }
  return text
}

function propertyOf(schema: JsonSchema | undefined, key: string): Json | undefined {
  const properties = schema?.properties
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
}

function itemsOf(schema: Json | undefined): Json | undefined {
  return isObject(schema) ? schema.items : undefined
}

/** The types that a schema admits, through local references and unions; empty when it does not say. */
function typesOf(schema: Json | undefined, root: JsonSchema | undefined, depth = 0): ReadonlySet<string> {
  if (!isObject(schema) || depth > 8) return new Set()
  const found = new Set<string>()
  const { type, $ref, anyOf, oneOf, enum: values } = schema
  for (const one of Array.isArray(type) ? type : [type]) if (typeof one === 'string') found.add(one)
  const branches = [anyOf, oneOf].flatMap((union): readonly Json[] => (Array.isArray(union) ? union : []))
  if (typeof $ref === 'string') branches.push(resolve($ref, root) ?? null)
  for (const branch of branches) for (const one of typesOf(branch, root, depth + 1)) found.add(one)
  if (found.size === 0 && Array.isArray(values)) {
    for (const value of values) found.add(value === null ? 'null' : typeof value)
  }
  return found
}

function resolve(ref: string, root: JsonSchema | undefined): Json | undefined {
  if (!ref.startsWith('#/')) return undefined
  let at: Json | undefined = root
  for (const part of ref.slice(2).split('/')) {
    if (!isObject(at)) return undefined
    at = at[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return at
}

function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
