import type { Json, JsonObject } from '@rollcall/plugin'
import { keywordShapes } from './keyword-shapes.ts'
import { linearPattern } from './linear-pattern.ts'
import { createSchemaAddresses, type Resource, type SchemaAddresses } from './schema-refs.ts'
import { isJsonObject, type Subschema, subschemas } from './subschemas.ts'

const maxBytes = 64 * 1024
const maxDepth = 32
const maxNodes = 20_000
const maxPatternSize = 10_000

/** What each schema with a reference refers to: the reference is looked up once, here. */
export type SchemaTargets = ReadonlyMap<JsonObject, readonly (JsonObject | boolean)[]>

/** A sound schema, or the first reason why it is none. */
export type LintedSchema =
  | { readonly ok: true; readonly schema: JsonObject; readonly targets: SchemaTargets; readonly nodes: number }
  | { readonly ok: false; readonly why: string }

/**
 * Checks a foreign JSON Schema in time linear in its size: at most 64 KB, 32 levels and 20,000 nodes once all
 * references are expanded; every reference resolves within the document; keywords are readable; patterns run on the
 * linear engine. Expects plain JSON data. Never throws.
 */
export function lintSchema(schema: JsonObject): LintedSchema {
  try {
    const targets = new SchemaLint(schema).run()
    return { ok: true, schema, targets, nodes: expandedNodes(schema, targets) }
  } catch (error) {
    return { ok: false, why: error instanceof Unsound ? error.why : 'it can not be read' }
  }
}

/** Carries the reason out of the walk; never leaves this file. */
class Unsound {
  readonly why: string

  constructor(path: string, what: string) {
    this.why = `${path === '' ? 'the root' : path.slice(0, 200)} ${what}`
  }
}

class SchemaLint {
  readonly #schema: JsonObject
  readonly #addresses: SchemaAddresses
  readonly #seen = new Set<JsonObject>()
  readonly #referring: { readonly schema: JsonObject; readonly path: string; readonly resource: Resource }[] = []
  #patternSize = 0

  constructor(schema: JsonObject) {
    this.#schema = schema
    this.#addresses = createSchemaAddresses(schema)
  }

  run(): SchemaTargets {
    const text = JSON.stringify(this.#schema)
    if (Buffer.byteLength(text) > maxBytes) throw new Unsound('', `is larger than ${maxBytes / 1024} KB`)
    // In JSON text a quote right before the name and a colon right after it make it a key.
    if (text.includes('"__proto__":')) throw new Unsound('', 'has a key named __proto__')
    this.#visit(this.#schema, '', 0, this.#addresses.document)
    const targets = new Map<JsonObject, readonly (JsonObject | boolean)[]>()
    // Grows while it is read: a reference may lead to a part that no keyword leads to.
    for (const { schema, path, resource } of this.#referring)
      targets.set(schema, this.#targetsOf(schema, path, resource))
    return targets
  }

  #visit(schema: Json, path: string, depth: number, within: Resource): void {
    if (typeof schema === 'boolean') return
    if (!isJsonObject(schema)) throw new Unsound(path, 'must be a schema: an object, true or false')
    if (this.#seen.has(schema)) return
    if (depth > maxDepth) throw new Unsound(path, `lies more than ${maxDepth} levels deep`)
    this.#seen.add(schema)
    this.#checkKeywords(schema, path)
    const resource = this.#addresses.enter(schema, within)
    if (refsOf(schema).length > 0) this.#referring.push({ schema, path, resource })
    for (const part of subschemas(schema)) this.#visit(part.schema, below(path, part), depth + 1, resource)
  }

  #checkKeywords(schema: JsonObject, path: string): void {
    for (const [keyword, value] of Object.entries(schema)) {
      const shape = Object.hasOwn(keywordShapes, keyword) ? keywordShapes[keyword] : undefined
      if (shape !== undefined && !shape.fits(value)) throw new Unsound(`${path}/${keyword}`, shape.needs)
    }
    if (typeof schema.pattern === 'string') this.#checkPattern(schema.pattern, `${path}/pattern`)
    const { patternProperties } = schema
    if (!isJsonObject(patternProperties)) return
    for (const pattern of Object.keys(patternProperties)) this.#checkPattern(pattern, `${path}/patternProperties`)
  }

  #checkPattern(source: string, path: string): void {
    const pattern = linearPattern(source)
    if (pattern === undefined)
      throw new Unsound(path, `can not run in linear time: ${JSON.stringify(source.slice(0, 80))}`)
    this.#patternSize += pattern.size
    if (this.#patternSize > maxPatternSize) throw new Unsound(path, 'makes the patterns too large together')
  }

  #targetsOf(schema: JsonObject, path: string, resource: Resource): readonly (JsonObject | boolean)[] {
    return refsOf(schema).map((ref) => {
      const target = this.#addresses.resolve(ref, resource)
      const shown = JSON.stringify(ref.slice(0, 80))
      if (target === undefined) throw new Unsound(path, `refers to ${shown}, which is not in this schema`)
      if (typeof target !== 'boolean' && !isJsonObject(target))
        throw new Unsound(path, `refers to ${shown}, which is no schema`)
      this.#visit(target, `${path}/$ref`, 0, resource)
      return target
    })
  }
}

function below(path: string, { keyword, key }: Subschema): string {
  return key === undefined ? `${path}/${keyword}` : `${path}/${keyword}/${key}`
}

// Within one document a dynamic reference finds what a plain one finds.
function refsOf({ $ref, $dynamicRef, $recursiveRef }: JsonObject): readonly string[] {
  return [$ref, $dynamicRef, $recursiveRef].filter((ref) => typeof ref === 'string')
}

/** Counts as if every reference were replaced by its target; a recursion is cut where it comes back to itself. */
function expandedNodes(root: JsonObject, targets: SchemaTargets): number {
  const known = new Map<JsonObject, number>()
  const count = (schema: Json): number => {
    if (!isJsonObject(schema)) return 1
    const before = known.get(schema)
    if (before !== undefined) return before
    known.set(schema, 1)
    let nodes = 1
    // Definitions count where they are referred to.
    for (const { keyword, schema: part } of subschemas(schema)) {
      if (keyword !== '$defs' && keyword !== 'definitions') nodes += count(part)
    }
    for (const target of targets.get(schema) ?? []) nodes += count(target)
    if (nodes > maxNodes) throw new Unsound('', `has more than ${maxNodes} nodes once its references are expanded`)
    known.set(schema, nodes)
    return nodes
  }
  return count(root)
}
