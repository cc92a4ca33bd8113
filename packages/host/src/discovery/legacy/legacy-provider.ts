import type { LegacyProvider } from '../claim.ts'

/** A provider as an unmigrated plugin writes it: recognised by its methods, not by a class. */
export type LegacyObject = Omit<LegacyProvider, 'kind'>

/** Tells whether a value has the methods of a legacy provider. */
export function isLegacyObject(value: unknown): value is LegacyObject {
  return isObject(value) && missingMethods(value).length === 0
}

/** The same provider under the host's mark; its methods keep their `this`. One object gives one provider. */
export function toLegacyProvider(object: LegacyObject): LegacyProvider {
  const known = marked.get(object)
  if (known !== undefined) return known
  const provider: LegacyProvider = {
    kind: 'legacy',
    getAppId: () => object.getAppId(),
    getTools: () => object.getTools(),
    invokeTool: (id, args) => object.invokeTool(id, args),
    ...(typeof object.previewTool === 'function' && { previewTool: object.previewTool.bind(object) }),
  }
  marked.set(object, provider)
  return provider
}

/** Says in a few words what was found in place of a provider. */
export function describeFound(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return `${typeof value === 'function' ? 'a function' : 'an object'} without ${missing(value)}`
  return `a ${typeof value}`
}

// A provider that a later scan finds again is the same to the host, and stays open.
const marked = new WeakMap<LegacyObject, LegacyProvider>()

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function missingMethods(value: object): readonly string[] {
  const methods = value as { readonly [name: string]: unknown }
  return ['getAppId', 'getTools', 'invokeTool'].filter((name) => typeof methods[name] !== 'function')
}

function missing(value: object): string {
  return missingMethods(value)
    .map((name) => `${name}()`)
    .join(', ')
}
