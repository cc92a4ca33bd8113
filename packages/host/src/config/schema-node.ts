/**
 * The words of a schema that are read when a configuration is checked. Besides those of JSON Schema: `noun` (what a
 * person calls the value), `keyNoun` (the same for keys), `concealed` (the value is not shown), `json` (any JSON) and
 * `check` (a function that says what is wrong).
 */
export interface SchemaNode {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode | readonly SchemaNode[]
  readonly minItems?: number
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly noun?: string
  readonly keyNoun?: string
  readonly concealed?: boolean
  readonly json?: boolean
  readonly check?: (value: unknown) => string | undefined
}

/** Tells whether a value is an object with keys: no list, no date, no map. */
export function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]'
}

/** Tells whether a value has the type that a schema names. Without one, any value has. */
export function hasType({ type }: SchemaNode, value: unknown): boolean {
  if (type === undefined) return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isPlainObject(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

/** What a schema asks for, for a person: `a whole number from 0 to 65535`. */
export function expected(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.length === 1 ? `"${node.enum[0]}"` : `one of ${node.enum.join(', ')}`
  if (node.noun !== undefined) return node.noun
  if (node.anyOf !== undefined) return node.anyOf.map(expected).join(' or ')
  if (node.type === 'boolean') return 'true or false'
  if (node.type === 'integer') return `a whole number${range(node)}`
  return kindNames[node.type ?? ''] ?? 'a value'
}

/** What was received, for a person; `hidden`: only its kind. */
export function received(value: unknown, hidden: boolean): string {
  if (value === null || value === undefined) return String(value)
  if (!hidden && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
  return kindNames[Array.isArray(value) ? 'array' : typeof value] ?? `a ${typeof value}`
}

const kindNames: Readonly<Record<string, string>> = {
  array: 'a list',
  number: 'a number',
  object: 'an object',
  string: 'a text',
}

function range({ minimum, maximum }: SchemaNode): string {
  if (minimum === undefined) return ''
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`
}
