import type { Fault } from './fault.ts'
import { isPlainObject } from './schema-node.ts'

const maxDepth = 64

/** What keeps a value from being JSON of reasonable depth: at most one fault. */
export function jsonFault(value: unknown, path: string): readonly Fault[] {
  const message = findFault(value, maxDepth, new Set())
  return message === undefined ? [] : [{ path, message }]
}

// What was seen is not walked again, so that a value that is shared many times costs once.
function findFault(value: unknown, depth: number, seen: Set<unknown>): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (Number.isFinite(value) || seen.has(value)) return undefined
  if (depth === 0) return `is nested deeper than ${maxDepth} levels, or holds itself`
  if (!Array.isArray(value) && !isPlainObject(value)) {
    return `must be JSON, and holds ${typeof value === 'object' ? 'an object that is no plain one' : `a ${typeof value}`}`
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || key === 'constructor') return `holds the key "${key}", which is not allowed`
    const item: unknown = Reflect.get(value, key)
    const message = item === undefined ? undefined : findFault(item, depth - 1, seen)
    if (message !== undefined) return message
  }
  seen.add(value)
  return undefined
}
