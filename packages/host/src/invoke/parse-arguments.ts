import { canonicalJson, type Json, type JsonObject } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import { omit } from '../catalogue/person-form.ts'

/** Arguments as everybody after the parser sees them: one canonical text, and a frozen value made from it. */
export type ParsedArguments =
  | { readonly ok: true; readonly text: string; readonly value: Json }
  | { readonly ok: false; readonly text: string; readonly message: string }

const maxBytes = 1_000_000
const maxDepth = 64

// Keywords by which a schema may have properties that its own `properties` do not name.
const propertyKeywords = ['properties', 'patternProperties', 'required', 'dependentSchemas'] as const
const combiningKeywords = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if'] as const

/**
 * Checks arguments, given as JSON text or as a value, against the original schema of the tool. Never throws.
 * Anything that is no object fails and is never read as `{}`; the one exception is empty text for a tool that has
 * no properties at all. What has no canonical text fails too: half a character, a number beyond all bounds.
 */
export function parseArguments(
  entry: CatalogueEntry | undefined,
  args: unknown,
  options: {
    /** Leaves out what only a person may say: what anybody else says for it does not count. */
    readonly drops?: boolean
  } = {},
): ParsedArguments {
  const text = toText(entry, args)
  if (typeof text !== 'string') return { ok: false, text: '', message: text.message }
  if (Buffer.byteLength(text) > maxBytes)
    return { ok: false, text: '', message: `the arguments are over ${maxBytes} bytes` }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return { ok: false, text, message: 'the arguments are not JSON' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, text, message: `the arguments must be a JSON object, and ${describe(value)} was received` }
  }
  if (options.drops === true && entry?.form !== undefined) value = omit(value as JsonObject, entry.form.keys)
  const fault = faultIn(value, maxDepth)
  if (fault !== undefined) return { ok: false, text, message: fault }
  let canonical: string
  try {
    canonical = canonicalJson(value)
  } catch {
    return { ok: false, text, message: 'the arguments hold half a character or a number that is too large' }
  }
  if (entry === undefined) return { ok: true, text: canonical, value }
  const checked = entry.parse(value)
  if (!checked.ok) return { ok: false, text: canonical, message: checked.message }
  return { ok: true, text: canonical, value: rebuild(canonical) }
}

/** The value of a canonical text, frozen all the way down. */
export function rebuild(canonical: string): Json {
  return JSON.parse(canonical, (_key, value: Json) => Object.freeze(value)) as Json
}

function toText(entry: CatalogueEntry | undefined, args: unknown): string | { readonly message: string } {
  if (typeof args === 'string') {
    if (args.trim() !== '') return args
    return entry !== undefined && hasNoProperties(entry) ? '{}' : { message: 'the arguments are empty' }
  }
  if (args === undefined) return '{}'
  try {
    return JSON.stringify(args) ?? { message: 'the arguments are not JSON' }
  } catch {
    return { message: 'the arguments are not JSON' }
  }
}

function hasNoProperties(entry: CatalogueEntry): boolean {
  const { inputSchema } = entry.definition
  return (
    propertyKeywords.every((keyword) => Object.keys(inputSchema[keyword] ?? {}).length === 0) &&
    combiningKeywords.every((keyword) => inputSchema[keyword] === undefined)
  )
}

function describe(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** What no tool gets, whatever its schema says: a key that changes what an object is once it is copied, endless depth. */
function faultIn(value: Json, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `the arguments are nested over ${maxDepth} levels`
  for (const [key, part] of Object.entries(value)) {
    if (key === '__proto__') return 'the arguments have the key "__proto__"'
    const fault = faultIn(part as Json, levels - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
