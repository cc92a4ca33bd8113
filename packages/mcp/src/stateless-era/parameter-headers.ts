import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

const headerKey = 'x-mcp-header'
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Nobody routes by something that lies deeper. */
const deepest = 16

const types: ReadonlySet<Json | undefined> = new Set(['string', 'integer', 'boolean'])

/** Where a schema may stand of whose values there may be none, or several. */
const branches = [
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
]
const namedBranches = ['patternProperties', 'dependentSchemas', '$defs', 'definitions']

interface Declared {
  readonly path: readonly string[]
  readonly header: string
}

/**
 * Arguments that a server wants to see in HTTP headers as well, so that whatever stands before it can tell calls apart
 * without reading them. Its list of tools says which.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class ParameterHeaders {
  readonly #byTool = new Map<string, readonly Declared[]>()

  /** Takes what one page of a list declares. @returns the names of tools that declare what can not be: they are no tools. */
  learn({ tools }: JsonObject): readonly string[] {
    if (!Array.isArray(tools)) return []
    return tools.flatMap((tool) => {
      if (!isJsonObject(tool) || typeof tool.name !== 'string') return []
      const declared = isJsonObject(tool.inputSchema) ? declaredIn(tool.inputSchema) : []
      if (declared === undefined) return [tool.name]
      if (declared.length > 0) this.#byTool.set(tool.name, declared)
      else this.#byTool.delete(tool.name)
      return []
    })
  }

  /** The headers of one call. An argument that is not there, or is no single value, has none. */
  of({ name, arguments: args }: JsonObject): Readonly<Record<string, string>> {
    const declared = (typeof name === 'string' && this.#byTool.get(name)) || []
    const headers = declared.flatMap(({ path, header }) => {
      const value = path.reduce<Json | undefined>((node, key) => (isJsonObject(node) ? node[key] : undefined), args)
      const isSingle = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
      return isSingle ? [[`Mcp-Param-${header}`, encode(String(value))] as const] : []
    })
    return Object.fromEntries(headers)
  }
}

/** Undefined: something is declared that can not be. */
function declaredIn(schema: JsonObject): readonly Declared[] | undefined {
  const found: Declared[] = []
  if (!collect(schema, [], true, found)) return undefined
  const names = found.map(({ header }) => header.toLowerCase())
  return new Set(names).size === names.length ? found : undefined
}

/** Only what is reached through properties alone counts: anything else need not be there. @returns whether all can be. */
function collect(schema: Json | undefined, path: readonly string[], isReached: boolean, found: Declared[]): boolean {
  if (!isJsonObject(schema)) return true
  if (path.length > deepest) return !JSON.stringify(schema).includes(`"${headerKey}"`)
  const { [headerKey]: header, properties } = schema
  if (header !== undefined) {
    const isSound = typeof header === 'string' && token.test(header) && types.has(schema.type)
    if (!isSound || !isReached || path.length === 0) return false
    found.push({ path, header })
  }
  const own = isJsonObject(properties) ? Object.entries(properties) : []
  const inside = (key: string) => [...path, `<${key}>`]
  return (
    own.every(([key, property]) => collect(property, [...path, key], isReached, found)) &&
    branches.every((key) => listOf(schema[key]).every((branch) => collect(branch, inside(key), false, found))) &&
    namedBranches.every((key) => valuesOf(schema[key]).every((branch) => collect(branch, inside(key), false, found)))
  )
}

function listOf(value: Json | undefined): readonly (Json | undefined)[] {
  return Array.isArray(value) ? value : [value]
}

function valuesOf(value: Json | undefined): readonly Json[] {
  return isJsonObject(value) ? Object.values(value) : []
}

/** What a header can not hold as it is goes as base64, marked as such. */
function encode(value: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !value.startsWith('=?base64?')
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}
