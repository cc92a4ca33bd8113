import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ToolView } from '@rollcall/host'
import { canonicalJson, type Json, type JsonObject, type JsonSchema, visibleText } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { ownMetaPrefix } from './own-meta.ts'
import { tightenAnnotations } from './tighten-annotations.ts'

// What a client can do without; what it calls by is not among them.
const optionalKeys = new Set<PropertyKey | undefined>(['title', 'outputSchema', 'icons', '_meta'])

/**
 * A tool as MCP clients see it: its original definition under its public name, with tightened annotations.
 *
 * Clients of the SDK refuse a whole list for one malformed tool. So what they would refuse is left out: an optional
 * field first, and the tool itself (`undefined`) where that doesn't help.
 */
export function toPublishedTool(view: ToolView): JsonObject | undefined {
  const tool = withTightAnnotations(view)
  const checked = ToolSchema.safeParse(tool)
  if (checked.success) return tool
  const refused = new Set(checked.error.issues.map((issue) => issue.path[0]))
  const rest = Object.fromEntries(Object.entries(tool).filter(([key]) => !refused.has(key) || !optionalKeys.has(key)))
  return ToolSchema.safeParse(rest).success ? rest : undefined
}

function withTightAnnotations({ name, definition, traits }: ToolView): JsonObject {
  const { title, description, inputSchema, outputSchema, annotations, icons, _meta } = definition
  const tightened = tightenAnnotations(traits.effect, annotations)
  const meta: Record<string, Json> = {}
  for (const [key, value] of Object.entries(_meta ?? {})) {
    if (!key.startsWith(ownMetaPrefix)) meta[key] = value
  }
  if (annotations !== undefined && canonicalJson(annotations) !== canonicalJson(tightened)) {
    meta[`${ownMetaPrefix}annotations`] = annotations
  }
  return {
    name,
    ...(title !== undefined && { title: visibleText(title) }),
    ...(description !== undefined && { description: visibleText(description) }),
    inputSchema: acceptableSchema(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: acceptableSchema(outputSchema) }),
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
