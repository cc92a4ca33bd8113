import { canonicalJson, type Json } from '@rollcall/plugin'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'

/** Arguments as everybody after the parser sees them: one canonical text, and a frozen value made from it. */
export type ParsedArguments =
  | { readonly ok: true; readonly text: string; readonly value: Json }
  | { readonly ok: false; readonly text: string; readonly message: string }

const maxBytes = 1_000_000
const maxDepth = 64

/**
 * Checks arguments, given as JSON text or as a value, against the original schema of the tool.
 * Anything that is no object fails and is never read as `{}`; the one exception is empty text for a tool that has
 * no properties at all.
 */
export function parseArguments(entry: CatalogueEntry | undefined, args: unknown): ParsedArguments {
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
  if (isDeeper(value, maxDepth)) return { ok: false, text, message: `the arguments are nested over ${maxDepth} levels` }
  const canonical = canonicalJson(value)
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
  const { properties, patternProperties, required } = entry.definition.inputSchema
  return [properties, patternProperties, required].every(
    (part) => part === undefined || Object.keys(part ?? {}).length === 0,
  )
}

function describe(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((part) => isDeeper(part as Json, levels - 1))
}
