import {
  dataClasses,
  effects,
  type Json,
  type JsonSchema,
  type ToolDefinition,
  type ToolTraits,
} from '@rollcall/plugin'
import { plainJson } from './plain-json.ts'
import type { ListedTool } from './provider.ts'

/** A definition as its provider lists it, and which required words its author left out. */
export interface ListedBuiltin {
  readonly tool: ListedTool
  readonly missing: readonly ('effect' | 'dataClass')[]
}

// No input schema means that there are no arguments, not that anything goes.
const noArguments: JsonSchema = Object.freeze({
  type: 'object',
  properties: Object.freeze({}),
  additionalProperties: false,
})

// One listing per definition object, so that a list of unchanged tools costs the catalogue nothing.
const listings = new WeakMap<ToolDefinition, Map<string, ListedBuiltin>>()

/** Turns an author's definition into a listed tool. Definitions are read once: a later change of the object is not seen. */
export function listBuiltinTool(definition: ToolDefinition, appId: string): ListedBuiltin {
  const known = listings.get(definition) ?? new Map<string, ListedBuiltin>()
  listings.set(definition, known)
  const listed = known.get(appId) ?? read(definition, appId)
  known.set(appId, listed)
  return listed
}

function read(definition: ToolDefinition, appId: string): ListedBuiltin {
  const missing: ('effect' | 'dataClass')[] = []
  if (!effects.includes(definition.effect)) missing.push('effect')
  if (!dataClasses.includes(definition.dataClass)) missing.push('dataClass')
  const approval = approvalOf(definition)
  const traits: Partial<ToolTraits> = {
    effect: missing.includes('effect') ? 'write' : definition.effect,
    dataClass: missing.includes('dataClass') ? 'secretAdjacent' : definition.dataClass,
    group: typeof definition.group === 'string' && definition.group !== '' ? definition.group : appId,
    adminOnly: definition.adminOnly !== undefined && definition.adminOnly !== false,
    ...(approval === undefined ? {} : { approval }),
  }
  const { preview } = definition
  const when = whenOf(definition)
  const output = definition.output === undefined ? undefined : schemaOf(definition.output)
  const tool: ListedTool = {
    name: definition.name,
    definition: {
      description: definition.description,
      ...(definition.title === undefined ? {} : { title: definition.title }),
      inputSchema: definition.input === undefined ? noArguments : (schemaOf(definition.input) as JsonSchema),
      // MCP can carry objects only; a result of another kind is checked all the same.
      ...(isObjectSchema(output) ? { outputSchema: output } : {}),
    },
    traits,
    ...(definition.timeoutMs === undefined ? {} : { timeoutMs: definition.timeoutMs }),
    ...(definition.startsOff === undefined ? {} : { startsOff: definition.startsOff }),
    ...(definition.asksPerson === undefined ? {} : { asksPerson: schemaOf(definition.asksPerson) as JsonSchema }),
    ...(preview === undefined ? {} : { preview: (args: Json) => definition.preview?.(args as never) ?? [] }),
    ...(when === undefined ? {} : { needsApproval: (args: Json) => asks(() => when(args)) }),
  }
  return Object.freeze({ tool: Object.freeze(tool), missing })
}

// Left open when the author says nothing: the effect that counts in the end decides then.
function approvalOf(definition: ToolDefinition): ToolTraits['approval'] | undefined {
  const { approval } = definition
  if (approval === undefined || approval === 'notNeeded') return approval
  return whenOf(definition) === undefined ? 'always' : 'byArguments'
}

function whenOf({ approval }: ToolDefinition): ((args: Json) => unknown) | undefined {
  if (typeof approval !== 'object' || approval === null || typeof approval.when !== 'function') return undefined
  return (args) => approval.when(args as never)
}

// Only a plain `false` is a no: a promise or a throw is not an answer.
function asks(when: () => unknown): boolean {
  try {
    return when() !== false
  } catch {
    return true
  }
}

// What is no JSON stays as it is: the catalogue drops the tool and says why.
function schemaOf(schema: unknown): unknown {
  const plain = plainJson(schema)
  return plain.ok ? plain.value : schema
}

function isObjectSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && (schema as { type?: unknown }).type === 'object'
}
