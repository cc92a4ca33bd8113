import { canonicalJson, hasHiddenCharacters, type Json, type JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { isEqualJson, ownJson } from './own-json.ts'
import { kindOfKeyword, maxDepth, withoutTexts } from './schema-texts.ts'

/**
 * Tells whether who knows the pinned definition may go on as before: only descriptions and titles differ, or optional
 * parameters were added, so that old arguments are still valid, and nothing hides in the new texts. Whatever is not
 * understood is not compatible.
 */
export function isCompatible(pinned: JsonObject, live: JsonObject): boolean {
  if (hidesSomething(live, 0)) return false
  const { description: _was, title: _wasTitle, inputSchema: pinnedSchema, ...pinnedRest } = pinned
  const { description: _is, title: _isTitle, inputSchema: liveSchema, ...liveRest } = live
  if (!isEqualJson(pinnedRest, liveRest) || !isJsonObject(pinnedSchema) || !isJsonObject(liveSchema)) return false
  return extendsSchema(pinnedSchema, liveSchema, 0)
}

/** Whatever the pinned schema lets through, but for names it does not know, the live one lets through too. */
function extendsSchema(pinned: Json | undefined, live: Json | undefined, depth: number): boolean {
  if (!isJsonObject(pinned) || !isJsonObject(live)) return isEqualJson(pinned, live)
  if (depth > maxDepth) return false
  const keywords = new Set([...Object.keys(pinned), ...Object.keys(live)])
  return [...keywords].every((keyword) => {
    const [was, is] = [ownJson(pinned, keyword), ownJson(live, keyword)]
    if (kindOfKeyword(keyword) === 'text') return true
    if (keyword === 'required') return isSameSet(was ?? [], is ?? [])
    if (keyword === 'items') return extendsSchema(was, is, depth + 1)
    if (keyword === 'properties') return extendsProperties(pinned, live, depth)
    if (keyword === '$defs' || keyword === 'definitions') return extendsDefinitions(was ?? {}, is ?? {})
    return isEqualJson(withoutTexts({ [keyword]: was ?? null }), withoutTexts({ [keyword]: is ?? null }))
  })
}

function extendsProperties(pinned: JsonObject, live: JsonObject, depth: number): boolean {
  const { properties: was = {} } = pinned
  const { properties: is = {}, required = [] } = live
  if (!isJsonObject(was) || !isJsonObject(is) || !Array.isArray(required)) return false
  const isKept = Object.entries(was).every(([name, schema]) => extendsSchema(schema, ownJson(is, name), depth + 1))
  const added = Object.keys(is).filter((name) => !Object.hasOwn(was, name))
  // Where other names had a meaning, a new one may have had it too.
  const isOpen = !isEqualJson(pinned.additionalProperties ?? false, false) || 'patternProperties' in pinned
  return isKept && (added.length === 0 || (!isOpen && added.every((name) => !required.includes(name))))
}

/** One that is known may stand under a "not", so that it must mean the same; a new one is used by what is new only. */
function extendsDefinitions(pinned: Json, live: Json): boolean {
  if (!isJsonObject(pinned) || !isJsonObject(live)) return false
  return Object.entries(pinned).every(([name, schema]) =>
    isEqualJson(withoutTexts(schema), withoutTexts(ownJson(live, name) ?? null)),
  )
}

function isSameSet(one: Json, other: Json): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false
  const texts = (list: readonly Json[]) => [...new Set(list.map((each) => canonicalJson(each)))].sort()
  return isEqualJson(texts(one), texts(other))
}

function hidesSomething(value: Json, depth: number): boolean {
  if (depth > maxDepth) return true
  if (typeof value === 'string') return hasHiddenCharacters(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, each]) => hasHiddenCharacters(key) || hidesSomething(each, depth + 1))
}
