import type { TSchema } from 'typebox'
import { type Fault, joinPath, quoted } from './fault.ts'
import { jsonFault } from './json-fault.ts'
import { nearest } from './nearest.ts'
import { expected, hasType, isPlainObject, received, type SchemaNode } from './schema-node.ts'

/** Everything in a value that breaks a schema, in the order of the value. */
export function schemaFaults(schema: TSchema, value: unknown): readonly Fault[] {
  // The one place where a schema is read as data instead of as a type.
  return faultsOf(schema as SchemaNode, { value, path: '', hidden: false })
}

/** A value and where it stands; `hidden`: it may be a secret, so it is not shown. */
interface Place {
  readonly value: unknown
  readonly path: string
  readonly hidden: boolean
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

function faultsOf(node: SchemaNode, outer: Place): readonly Fault[] {
  const place = node.concealed === true ? { ...outer, hidden: true } : outer
  const { value, path } = place
  if (node.json === true) return jsonFault(value, path)
  if (node.anyOf !== undefined) return unionFaults(node, node.anyOf, place)
  if (node.enum !== undefined) return enumFaults(node, node.enum, place)
  if (!hasType(node, value)) return [wrong(node, place)]
  const message = node.check?.(value)
  const own = message === undefined ? [] : [{ path, message }]
  if (typeof value === 'string' && value.length < (node.minLength ?? 0)) return [{ path, message: 'is empty' }]
  if (typeof value === 'number' && !inRange(node, value)) return [wrong(node, place)]
  if (node.type === 'array' && Array.isArray(value)) return [...own, ...listFaults(node, value, place)]
  if (node.type === 'object' && isPlainObject(value)) return [...own, ...objectFaults(node, value, place)]
  return own
}

function objectFaults(node: SchemaNode, value: object, { path, hidden }: Place): readonly Fault[] {
  const faults: Fault[] = []
  const meant = new Set<string>()
  for (const key of Object.keys(value)) {
    const item: unknown = Reflect.get(value, key)
    const at = joinPath(path, key)
    const child = childOf(node, key)
    if (forbiddenKeys.has(key)) faults.push({ path: at, message: 'is not allowed as a key' })
    else if (item === undefined) continue
    else if (child !== undefined) faults.push(...faultsOf(child, { value: item, path: at, hidden }))
    else if (node.properties === undefined) faults.push({ path: at, message: badKey(node, key) })
    else {
      const near = nearest(key, absentKeys(node.properties, value))
      if (near !== undefined) meant.add(near)
      faults.push({
        path: at,
        message: `unknown key; ${near ? `did you mean "${near}"?` : knownKeys(node.properties)}`,
      })
    }
  }
  for (const key of node.required ?? []) {
    const isThere = Object.hasOwn(value, key) && Reflect.get(value, key) !== undefined
    // A misspelt key is one fault, not two.
    if (isThere || meant.has(key)) continue
    faults.push({ path: joinPath(path, key), message: `is missing: ${expected(node.properties?.[key] ?? {})}` })
  }
  return faults
}

function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  if (node.properties !== undefined) return Object.hasOwn(node.properties, key) ? node.properties[key] : undefined
  return Object.entries(node.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern, 'su').test(key))?.[1]
}

function badKey(node: SchemaNode, key: string): string {
  const lower = key.toLowerCase()
  const meant = childOf(node, lower) === undefined ? '' : `; did you mean "${lower}"?`
  const rule = 'a lower-case letter, then at most 31 lower-case letters, digits or hyphens'
  return `${quoted(key)} isn't ${node.keyNoun ?? 'a key'}: ${rule}${meant}`
}

function absentKeys(properties: Readonly<Record<string, SchemaNode>>, value: object): readonly string[] {
  return Object.keys(properties).filter((key) => !Object.hasOwn(value, key))
}

function knownKeys(properties: Readonly<Record<string, SchemaNode>>): string {
  return `known are ${Object.keys(properties).join(', ')}`
}

function listFaults(node: SchemaNode, list: readonly unknown[], { path, hidden }: Place): readonly Fault[] {
  const items = node.items ?? {}
  const tuple = isTuple(items) ? items : undefined
  const needed = node.minItems ?? 0
  if (list.length < needed || (tuple !== undefined && list.length > tuple.length)) {
    const count = tuple === undefined ? `at least ${needed}` : `exactly ${tuple.length}`
    return [{ path, message: `must be a list of ${count}, received ${list.length}` }]
  }
  return list.flatMap((value, index) =>
    faultsOf((isTuple(items) ? items[index] : items) ?? {}, { value, path: `${path}[${index}]`, hidden }),
  )
}

function isTuple(items: SchemaNode | readonly SchemaNode[]): items is readonly SchemaNode[] {
  return Array.isArray(items)
}

/** Of several forms the one that fits best is taken to be meant. */
function unionFaults(node: SchemaNode, forms: readonly SchemaNode[], place: Place): readonly Fault[] {
  let best: readonly Fault[] | undefined
  for (const form of forms) {
    if (!mayBe(form, place.value)) continue
    const faults = faultsOf(form, place)
    if (faults.length === 0) return []
    if (best === undefined || faults.length < best.length) best = faults
  }
  return best ?? [wrong(node, place)]
}

function mayBe(node: SchemaNode, value: unknown): boolean {
  if (node.anyOf !== undefined) return node.anyOf.some((form) => mayBe(form, value))
  return node.enum === undefined ? hasType(node, value) : typeof value === 'string'
}

function enumFaults(node: SchemaNode, values: readonly unknown[], place: Place): readonly Fault[] {
  const { value, path, hidden } = place
  if (values.includes(value)) return []
  if (typeof value !== 'string' || hidden) return [wrong(node, place)]
  return [{ path, message: `${quoted(value)} isn't ${node.noun ?? 'known here'}: ${values.join(', ')}` }]
}

function wrong(node: SchemaNode, { value, path, hidden }: Place): Fault {
  return { path, message: `must be ${expected(node)}, received ${received(value, hidden)}` }
}

function inRange({ minimum = -Infinity, maximum = Infinity }: SchemaNode, value: number): boolean {
  return value >= minimum && value <= maximum
}
