import type { Json } from '@rollcall/plugin'

const maxDepth = 128

/** A frozen copy of a value as plain JSON data, or why there is none. */
export type PlainJson = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/**
 * Copies what other code made as plain frozen JSON. Absent values are left out as `JSON.stringify` does; what JSON
 * can't hold (functions, NaN, a Map, a cycle, more than 128 levels) is named with its path. Never throws.
 */
export function plainJson(value: unknown): PlainJson {
  try {
    return { ok: true, value: copy(value, '', 0) }
  } catch (error) {
    return { ok: false, why: error instanceof NotJson ? error.why : 'reading it threw' }
  }
}

/** Carries the path out of the walk; never leaves this file. */
class NotJson {
  readonly why: string

  constructor(path: string, what: string) {
    this.why = `${path === '' ? 'it' : path.slice(0, 200)} is ${what}, which is no JSON`
  }
}

function copy(value: unknown, path: string, depth: number): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotJson(path, String(value))
    return value
  }
  if (typeof value !== 'object') throw new NotJson(path, value === undefined ? 'undefined' : `a ${typeof value}`)
  if (depth === maxDepth) throw new NotJson(path, `nested more than ${maxDepth} levels deep`)
  if (Array.isArray(value))
    return Object.freeze(value.map((item, index) => copy(item ?? null, `${path}/${index}`, depth + 1)))
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), path, depth + 1)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  if (entries.length === 0 && !isPlain(value))
    throw new NotJson(path, `a ${value.constructor?.name ?? 'foreign object'}`)
  // fromEntries defines properties, so that a key `__proto__` stays a key.
  return Object.freeze(Object.fromEntries(entries.map(([key, item]) => [key, copy(item, `${path}/${key}`, depth + 1)])))
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
