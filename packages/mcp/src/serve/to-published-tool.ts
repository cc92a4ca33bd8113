import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ToolView } from '@rollcall/host'
import { canonicalJson, type Json, type JsonObject, type JsonSchema, visibleText } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { foreignMeta, ownMetaPrefix } from '../own-meta.ts'
import { acceptable } from './lists/acceptable.ts'
import { tightenAnnotations } from './tighten-annotations.ts'
import { visibleSchema } from './visible-schema.ts'

// What a client can do without; what it calls by is not among them.
const optionalKeys: ReadonlySet<string> = new Set(['title', 'outputSchema', 'icons', '_meta'])

/**
 * A tool as MCP clients see it: its original definition under its public name, with tightened annotations.
 *
 * Clients of the SDK refuse a whole list for one malformed tool. So what they would refuse is left out: an optional
 * field first, and the tool itself (`undefined`) where that doesn't help.
 */
export function toPublishedTool(view: Pick<ToolView, 'name' | 'definition' | 'traits'>): JsonObject | undefined {
  return acceptable(ToolSchema, withTightAnnotations(view), optionalKeys)
}

function withTightAnnotations({
  name,
  definition,
  traits,
}: Pick<ToolView, 'name' | 'definition' | 'traits'>): JsonObject {
  const { title, description, inputSchema, outputSchema, annotations, icons, _meta } = definition
  const tightened = tightenAnnotations(traits.effect, annotations)
  const meta: Record<string, Json> = { ...foreignMeta(_meta ?? {}) }
  if (annotations !== undefined && canonicalJson(annotations) !== canonicalJson(tightened)) {
    meta[`${ownMetaPrefix}annotations`] = annotations
  }
  return {
    name,
    ...(title !== undefined && { title: visibleText(title) }),
    ...(description !== undefined && { description: visibleText(description) }),
    inputSchema: acceptableSchema(visibleSchema(inputSchema)),
    ...(outputSchema !== undefined && { outputSchema: acceptableSchema(visibleSchema(outputSchema)) }),
    annotations: tightened,
    ...(icons !== undefined && { icons }),
    ...((_meta !== undefined || Object.keys(meta).length > 0) && { _meta: meta }),
  }
}

/** The schema itself, or one that says the same in the words that clients insist on: a typed root, no boolean properties. */
function acceptableSchema(schema: JsonSchema): JsonSchema {
  const properties = schema.properties
  const typed = schema.type === undefined ? { ...schema, type: 'object' } : schema
  if (!isJsonObject(properties) || !Object.values(properties).some((property) => typeof property === 'boolean'))
    return typed
  const spelled = Object.entries(properties).map(([key, property]): [string, Json] => {
    if (property === true) return [key, {}]
    return [key, property === false ? { not: {} } : property]
  })
  return { ...typed, properties: Object.fromEntries(spelled) }
}
