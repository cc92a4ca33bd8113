import type { Capability } from '@rollcall/host'
import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/** All that a server may want of its callers, in the order in which it is tried. */
export const capabilityNames: readonly Capability[] = ['elicitation', 'elicitation.url', 'roots', 'sampling']

/** The class of callers for whom nothing can be asked. */
export const bareClass = '{}'

type Part = 'elicitation' | 'roots' | 'sampling'

/** What a client may do, with the parts of it that a server can depend on. Names in the order of the class text. */
const knownParts: readonly (readonly [Part, readonly string[]])[] = [
  ['elicitation', ['form', 'url']],
  ['roots', []],
  ['sampling', ['context', 'tools']],
]

/**
 * The canonical text of what a caller can do for a server. Callers of one class may share a connection, whose server is
 * told exactly this; whatever else a client declares makes no difference.
 */
export function capabilityClassOf(capabilities: JsonObject | undefined): string {
  const known = knownParts.flatMap(([name, parts]) => {
    const declared = capabilities?.[name]
    return isJsonObject(declared) ? [[name, partsOf(name, declared, parts)] as const] : []
  })
  return JSON.stringify(Object.fromEntries(known))
}

/** What a server of this class is told. */
export function capabilitiesOf(capabilityClass: string): JsonObject {
  // Only ever made by the function above.
  return JSON.parse(capabilityClass) as JsonObject
}

/** What a caller of this class can do. */
export function abilitiesOf(capabilityClass: string): ReadonlySet<Capability> {
  const { elicitation, roots, sampling } = capabilitiesOf(capabilityClass)
  const { form, url } = isJsonObject(elicitation) ? elicitation : {}
  const abilities: Readonly<Record<Capability, Json | undefined>> = {
    elicitation: form,
    'elicitation.url': url,
    roots,
    sampling,
  }
  return new Set(capabilityNames.filter((name) => abilities[name] !== undefined))
}

/** The first of the needs that this class has not. */
export function lackingIn(capabilityClass: string, needs: readonly Capability[]): Capability | undefined {
  const able = abilitiesOf(capabilityClass)
  return needs.find((need) => !able.has(need))
}

/** Tells whether a server of this class was told that it may ask this. */
export function mayAsk(capabilityClass: string, method: string, params: JsonObject): boolean {
  const { sampling, elicitation, roots } = capabilitiesOf(capabilityClass)
  if (method === 'sampling/createMessage') return sampling !== undefined
  if (method === 'roots/list') return roots !== undefined
  if (method !== 'elicitation/create' || !isJsonObject(elicitation)) return false
  const mode: Json = params.mode ?? 'form'
  return (mode === 'form' || mode === 'url') && elicitation[mode] !== undefined
}

function partsOf(name: Part, declared: JsonObject, parts: readonly string[]): JsonObject {
  // Whatever the client does: a server is told when another session's folders count.
  if (name === 'roots') return { listChanged: true }
  const known = parts.filter((part) => isDeclared(declared[part]))
  // Before there were two kinds of elicitation, it was the one by form.
  if (name === 'elicitation' && known.length === 0) return { form: {} }
  return Object.fromEntries(known.map((part) => [part, {}]))
}

function isDeclared(value: Json | undefined): boolean {
  return value === true || isJsonObject(value)
}
