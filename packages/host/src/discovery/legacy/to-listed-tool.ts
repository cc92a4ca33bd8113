import {
  type DataClass,
  dataClasses,
  type Finding,
  type Json,
  type JsonObject,
  redactSecrets,
  visibleText,
} from '@rollcall/plugin'
import type { Claim } from '../claim.ts'
import { normaliseAppId } from '../take-roll.ts'

/** A legacy descriptor in the words of the catalogue, which checks the definition like any other. */
export interface Adapted {
  readonly name: string
  /** The id under which its provider knows it. */
  readonly id: string
  readonly definition: JsonObject
  readonly traits: { readonly effect: 'read' | 'write'; readonly dataClass: DataClass }
}

/** Adapts one descriptor: a tool, or none, and what is to be said about it. */
export function toListedTool(
  descriptor: unknown,
  claim: Claim,
): { readonly tool?: Adapted; readonly findings: readonly Finding[] } {
  const plain = toPlain(descriptor)
  const { id, name, description, inputSchema, outputSchema, scope, dataClass, annotations, ...unknown } = plain ?? {}
  if (typeof id !== 'string')
    return {
      findings: [dropped(claim, plain === undefined ? 'a descriptor is no JSON object' : 'a descriptor has no id')],
    }

  const [prefix, tail] = split(id)
  if (normaliseAppId(prefix) !== claim.appId) return { findings: [foreign(claim, id, prefix, tail)] }
  if (tail === '') return { findings: [dropped(claim, `"${shown(id)}" has no name behind its prefix`)] }

  const title = typeof name === 'string' && name !== tail && name !== id ? name : undefined
  const extra = { ...(isObject(annotations) ? annotations : {}), ...unknown }
  const effect = effectOf(scope, extra)
  const known = dataClasses.find((one) => one === dataClass)
  return {
    tool: {
      name: tail,
      id,
      definition: {
        ...(description !== undefined && { description }),
        ...(title !== undefined && { title }),
        inputSchema: inputSchema ?? { type: 'object' },
        ...(outputSchema != null && { outputSchema }),
        ...(Object.keys(extra).length > 0 && { annotations: extra }),
      },
      traits: { effect: effect ?? 'write', dataClass: known ?? 'secretAdjacent' },
    },
    findings: unstated(claim, id, effect, known, dataClass),
  }
}

/** What JSON can hold of a value: nothing of the provider's own is kept that could change later. */
function toPlain(descriptor: unknown): JsonObject | undefined {
  try {
    const plain: Json = JSON.parse(JSON.stringify(descriptor))
    return isObject(plain) ? plain : undefined
  } catch {
    return undefined
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A read only where something says so and nothing says otherwise; `undefined` where nothing is said. */
function effectOf(scope: Json | undefined, hints: JsonObject): 'read' | 'write' | undefined {
  const says = [
    ...(scope === undefined ? [] : [scope === 'read']),
    ...(typeof hints.readOnlyHint === 'boolean' ? [hints.readOnlyHint] : []),
    ...(hints.destructiveHint === true ? [false] : []),
  ]
  if (says.length === 0) return undefined
  return says.every(Boolean) ? 'read' : 'write'
}

/** An id without a prefix has no owner that could be right. */
function split(id: string): readonly [prefix: string, tail: string] {
  const dot = id.indexOf('.')
  return dot < 0 ? ['', id] : [id.slice(0, dot), id.slice(dot + 1)]
}

function foreign(claim: Claim, id: string, prefix: string, tail: string): Finding {
  const what = prefix === '' ? 'has no prefix' : `has the foreign prefix "${shown(prefix)}"`
  return {
    ...dropped(claim, `"${shown(id)}" ${what}`),
    migration: 'MIG009',
    about: { plugin: claim.plugin, appId: claim.appId, tool: shown(id) },
    hint: `Rename the id to "${claim.appId}.${shown(tail)}" in ${claim.from}.`,
  }
}

function dropped({ plugin, appId, from }: Claim, what: string): Finding {
  return {
    code: 'TOOL_INVALID',
    severity: 'error',
    about: { plugin, appId },
    phase: 'list',
    message: `A tool of ${appId} is dropped: ${what}.`,
    hint: `Give every descriptor in ${from} an id "${appId}.<tool>".`,
    causes: [],
  }
}

function unstated(
  { plugin, appId, from }: Claim,
  id: string,
  effect: string | undefined,
  dataClass: DataClass | undefined,
  said: Json | undefined,
): readonly Finding[] {
  const gaps = [
    ...(dataClass !== undefined ? [] : [said === undefined ? 'no dataClass' : `the unknown dataClass ${shown(said)}`]),
    ...(effect !== undefined ? [] : ['no scope']),
  ]
  if (gaps.length === 0) return []
  const additions = [
    ...(dataClass === undefined ? [`dataClass: '${dataClasses.join("' | '")}'`] : []),
    ...(effect === undefined ? ["scope: 'read' | 'create' | 'update' | 'delete'"] : []),
  ]
  const taken = [...(dataClass === undefined ? ['secretAdjacent'] : []), ...(effect === undefined ? ['write'] : [])]
  return [
    {
      code: 'TOOL_CLASS_MISSING',
      migration: 'MIG020',
      severity: 'warn',
      about: { plugin, appId, tool: shown(id) },
      phase: 'list',
      message: `${shown(id)} states ${gaps.join(' and ')}, so the strictest is taken: ${taken.join(', ')}.`,
      hint: `Add to its descriptor in ${from}: ${additions.join(', ')}.`,
      causes: [],
    },
  ]
}

/** Foreign text, bounded and readable. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value)
  return visibleText(redactSecrets(text.slice(0, 200)))
}
