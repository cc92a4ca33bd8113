import { PromptSchema, ResourceSchema, ResourceTemplateSchema } from '@modelcontextprotocol/sdk/types.js'
import { type JsonObject, visibleText } from '@rollcall/plugin'
import { withForeignMeta } from '../../own-meta.ts'
import { acceptable } from './acceptable.ts'

// What a client can do without; what it asks by is not among them.
const optionalKeys: ReadonlySet<string> = new Set([
  'title',
  'description',
  'arguments',
  'mimeType',
  'size',
  'annotations',
  'icons',
  '_meta',
])

/** A prompt as its server lists it, under the name that a client uses; `undefined` where clients would refuse it. */
export function publishPrompt(definition: JsonObject, name: string): JsonObject | undefined {
  return acceptable(PromptSchema, shown({ ...definition, name }), optionalKeys)
}

/** A resource as its server lists it, under the address that a client uses. */
export function publishResource(definition: JsonObject, uri: string): JsonObject | undefined {
  return acceptable(ResourceSchema, shown({ ...definition, uri }), optionalKeys)
}

/** A template of resources as its server lists it, under the address that a client uses. */
export function publishTemplate(definition: JsonObject, uriTemplate: string): JsonObject | undefined {
  return acceptable(ResourceTemplateSchema, shown({ ...definition, uriTemplate }), optionalKeys)
}

/** Hidden characters are shown where a person or a model reads. */
function shown(entry: JsonObject): JsonObject {
  const { title, description } = entry
  return withForeignMeta({
    ...entry,
    ...(typeof title === 'string' && { title: visibleText(title) }),
    ...(typeof description === 'string' && { description: visibleText(description) }),
  })
}
