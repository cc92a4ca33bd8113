import type { FeatureList } from '@rollcall/host'
import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'

/** Tells whether a block of a result has an address of its provider. */
export function isLink(block: Json): boolean {
  return isJsonObject(block) && (block.type === 'resource_link' || block.type === 'resource')
}

/**
 * The blocks of a provider's result with its addresses as they are published to this consumer: a link that leads to one
 * provider at its server must not lead to several here.
 */
export function withPublishedLinks(content: readonly Json[], appId: string, list: FeatureList): readonly Json[] {
  const publish = publisherOf(appId, list)
  return publish === undefined ? content : content.map((block) => linked(block, publish))
}

type Publish = (uri: string) => string

/** `undefined` where all its addresses are published as they are. */
function publisherOf(appId: string, { resources, templates }: FeatureList): Publish | undefined {
  const renamed = new Map<string, string>()
  for (const view of resources)
    if (view.appId === appId && view.uri !== view.original) renamed.set(view.original, view.uri)
  const beginnings: string[] = []
  for (const view of templates) {
    if (view.appId === appId && view.uriTemplate !== view.original)
      beginnings.push(view.original.split('{', 1)[0] ?? '')
  }
  if (renamed.size === 0 && beginnings.length === 0) return undefined
  // What only may be of a template is told apart as well: the longer form is understood in any case.
  return (uri) =>
    renamed.get(uri) ?? (beginnings.some((beginning) => uri.startsWith(beginning)) ? `${appId}+${uri}` : uri)
}

function linked(block: Json, publish: Publish): Json {
  if (!isJsonObject(block)) return block
  if (block.type === 'resource_link') return withUri(block, publish)
  return block.type === 'resource' && isJsonObject(block.resource)
    ? { ...block, resource: withUri(block.resource, publish) }
    : block
}

function withUri(object: JsonObject, publish: Publish): JsonObject {
  return typeof object.uri === 'string' ? { ...object, uri: publish(object.uri) } : object
}
