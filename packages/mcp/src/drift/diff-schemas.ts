import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { type DiffLines, shown } from './diff-lines.ts'
import { diffTexts } from './diff-texts.ts'
import { isEqualJson, ownJson } from './own-json.ts'
import { kindOfKeyword, maxDepth } from './schema-texts.ts'

/** Says what differs between two schemas, by the way to each parameter; `what` is a parameter or the result. */
export function diffSchemas(
  lines: DiffLines,
  what: 'parameter' | 'result',
  was: Json | undefined,
  is: Json | undefined,
): void {
  diffAt(lines, { what, path: '', depth: 0 }, was, is)
}

interface Place {
  readonly what: 'parameter' | 'result'
  /** `filter.names[]`; empty for the whole. */
  readonly path: string
  readonly depth: number
}

function diffAt(lines: DiffLines, place: Place, was: Json | undefined, is: Json | undefined): void {
  if (isEqualJson(was, is)) return
  if (!isJsonObject(was) || !isJsonObject(is) || place.depth > maxDepth) {
    lines.add(`${labelOf(place)}: ${shown(was)} → ${shown(is)}`)
    return
  }
  for (const keyword of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [old, now] = [ownJson(was, keyword), ownJson(is, keyword)]
    if (isEqualJson(old, now)) continue
    const below = (more: string): Place => ({ ...place, path: `${place.path}${more}`, depth: place.depth + 1 })
    if (keyword === 'properties') diffProperties(lines, place, was, is)
    else if (keyword === 'required') diffRequired(lines, place, was, is)
    else if (kindOfKeyword(keyword) === 'text') diffTexts(lines, `${labelOf(place)}: ${keyword}`, old, now)
    else if (keyword === 'items' && isJsonObject(old) && isJsonObject(now)) diffAt(lines, below('[]'), old, now)
    else if (keyword === 'enum' && Array.isArray(old) && Array.isArray(now)) diffEnum(lines, place, old, now)
    else lines.add(`${labelOf(place)}: ${keyword} ${shown(old)} → ${shown(now)}`)
  }
}

function diffProperties(lines: DiffLines, place: Place, was: JsonObject, is: JsonObject): void {
  const [old, now] = [objectOf(was.properties), objectOf(is.properties)]
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const path = place.path === '' ? name : `${place.path}.${name}`
    const at = { ...place, path, depth: place.depth + 1 }
    if (!Object.hasOwn(old, name)) {
      lines.add(`${labelOf(at)} added, ${requiredIn(is, name)}: ${shown(now[name])}`)
    } else if (!Object.hasOwn(now, name)) {
      lines.add(`${labelOf(at)} removed, was ${requiredIn(was, name)}: ${shown(old[name])}`)
    } else diffAt(lines, at, old[name], now[name])
  }
}

/** What was added or removed is told with its parameter. */
function diffRequired(lines: DiffLines, place: Place, was: JsonObject, is: JsonObject): void {
  const [old, now] = [listOf(was.required), listOf(is.required)]
  const [known, kept] = [objectOf(was.properties), objectOf(is.properties)]
  const label = (name: Json) => labelOf({ ...place, path: place.path === '' ? `${name}` : `${place.path}.${name}` })
  const isToldElsewhere = (name: Json) => Object.hasOwn(known, `${name}`) !== Object.hasOwn(kept, `${name}`)
  for (const name of new Set([...old, ...now])) {
    if (old.includes(name) === now.includes(name) || isToldElsewhere(name)) continue
    lines.add(`${label(name)}: ${now.includes(name) ? 'now required' : 'no longer required'}`)
  }
}

function diffEnum(lines: DiffLines, place: Place, was: readonly Json[], is: readonly Json[]): void {
  const lacks = (list: readonly Json[], value: Json) => !list.some((each) => isEqualJson(each, value))
  const added = is.filter((value) => lacks(was, value))
  const removed = was.filter((value) => lacks(is, value))
  const parts = [
    ...(added.length > 0 ? [`added ${added.map(shown).join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.map(shown).join(', ')}`] : []),
  ]
  lines.add(`${labelOf(place)}: allowed values ${parts.join('; ') || 'in another order'}`)
}

function labelOf({ what, path }: Place): string {
  if (path === '') return what === 'parameter' ? 'parameters' : 'result'
  return `${what} ${path}`
}

function requiredIn(schema: JsonObject, name: string): string {
  return listOf(schema.required).includes(name) ? 'required' : 'optional'
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
