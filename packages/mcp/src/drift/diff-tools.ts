import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { DiffLines, shown } from './diff-lines.ts'
import { diffSchemas } from './diff-schemas.ts'
import { diffTexts } from './diff-texts.ts'
import { isEqualJson, ownJson } from './own-json.ts'

/**
 * Says what is different between two definitions of one tool, in lines for a person who decides: at most 60 lines of at
 * most 500 characters, everything that hides made visible.
 */
export function diffTools(pinned: JsonObject, live: JsonObject): readonly string[] {
  const lines = new DiffLines()
  const keys = new Set(['description', 'title', 'inputSchema', ...Object.keys(pinned), ...Object.keys(live)])
  for (const key of keys) {
    const [was, is] = [ownJson(pinned, key), ownJson(live, key)]
    if (isEqualJson(was, is)) continue
    if (key === 'description' || key === 'title') diffTexts(lines, key, was, is)
    else if (key === 'inputSchema') diffSchemas(lines, 'parameter', was, is)
    else if (key === 'outputSchema') diffSchemas(lines, 'result', was, is)
    else if (key === 'annotations' && isJsonObject(was ?? {}) && isJsonObject(is ?? {})) diffAnnotations(lines, was, is)
    else lines.add(`${key}: ${shown(was)} → ${shown(is)}`)
  }
  return lines.done()
}

function diffAnnotations(lines: DiffLines, was: Json | undefined, is: Json | undefined): void {
  const [old, now] = [isJsonObject(was) ? was : {}, isJsonObject(is) ? is : {}]
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [before, after] = [ownJson(old, key), ownJson(now, key)]
    if (!isEqualJson(before, after)) lines.add(`annotation ${key}: ${shown(before)} → ${shown(after)}`)
  }
}
