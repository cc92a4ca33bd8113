import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from './subschemas.ts'

/** A schema with an address of its own: the document, or a part that states an `$id`. */
export interface Resource {
  readonly root: JsonObject
  readonly uri: string
  readonly anchors: Map<string, JsonObject>
}

/** The addresses within one document. */
export interface SchemaAddresses {
  readonly document: Resource
  /** The resource in which the parts of `schema` stand; registers what the schema says about its own address. */
  enter(schema: JsonObject, within: Resource): Resource
  /** What a reference means; `undefined` when nothing in this document has that address. Never fetches. */
  resolve(ref: string, within: Resource): Json | undefined
}

// Any hierarchical address will do: it only gives relative ones something to stand on.
const base = 'rollcall://schema/'

/** @see https://json-schema.org/draft/2020-12/json-schema-core#section-8.2 */
export function createSchemaAddresses(root: JsonObject): SchemaAddresses {
  const document: Resource = { root, uri: base, anchors: new Map() }
  const resources = new Map<string, Resource>([[base, document]])

  const find = (fragment: string, resource: Resource): Json | undefined => {
    if (fragment === '') return resource.root
    return fragment.startsWith('/') ? follow(fragment, resource.root) : resource.anchors.get(fragment)
  }

  return {
    document,
    enter(schema, within) {
      const resource = ownResource(schema, within)
      if (resource !== within) resources.set(resource.uri, resource)
      for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
        if (typeof anchor === 'string') resource.anchors.set(anchor, schema)
      }
      if (typeof schema.$id === 'string' && schema.$id.startsWith('#'))
        resource.anchors.set(schema.$id.slice(1), schema)
      return resource
    },
    resolve(ref, within) {
      const [address = '', encoded = ''] = split(ref)
      const fragment = decode(encoded)
      if (fragment === undefined) return undefined
      // Older drafts count `#/…` from the document, newer ones from the nearest `$id`.
      if (address === '') return find(fragment, within) ?? find(fragment, document)
      const resource = resources.get(join(address, within.uri) ?? '')
      return resource === undefined ? undefined : find(fragment, resource)
    },
  }
}

function ownResource(schema: JsonObject, within: Resource): Resource {
  if (typeof schema.$id !== 'string' || schema.$id.startsWith('#')) return within
  const uri = join(split(schema.$id)[0] ?? '', within.uri)
  return uri === undefined || uri === within.uri ? within : { root: schema, uri, anchors: new Map() }
}

function follow(pointer: string, root: JsonObject): Json | undefined {
  let found: Json | undefined = root
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(key) ? (found as readonly Json[])[Number(key)] : undefined
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
    if (found === undefined) return undefined
  }
  return found
}

function split(ref: string): readonly [string, string] {
  const hash = ref.indexOf('#')
  return hash === -1 ? [ref, ''] : [ref.slice(0, hash), ref.slice(hash + 1)]
}

function join(address: string, against: string): string | undefined {
  return URL.canParse(address, against) ? new URL(address, against).href : undefined
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
