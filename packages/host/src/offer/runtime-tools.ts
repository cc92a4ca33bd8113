import { digestOf, type JsonSchema } from '@rollcall/plugin'
import type { ToolView } from '../catalogue/catalogue.ts'
import { version } from '../version.ts'

/** The runtime's own tools: what a consumer needs to go on with calls that it made. They are no provider's. */
export const awaitTool = 'rollcall__await'
export const readResultTool = 'rollcall__read_result'

const definitions: Readonly<Record<string, { title: string; description: string; inputSchema: JsonSchema }>> = {
  [awaitTool]: {
    title: 'Wait for a person',
    description:
      'Waits for the decision of a person about a call that answered "waiting", and returns the outcome of that call. ' +
      'Call it again if it answers "waiting" once more; do not repeat the call itself.',
    inputSchema: {
      type: 'object',
      properties: { handle: { type: 'string', description: 'The handle that came with the waiting answer.' } },
      required: ['handle'],
      additionalProperties: false,
    },
  },
  [readResultTool]: {
    title: 'Read more of a result',
    description:
      'Reads a result that was cut: a page of it from an offset, the lines that hold a text, or the part that a JSON ' +
      'pointer names. Give one of offset, find and pointer.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'The handle that came with the cut result.' },
        offset: { type: 'integer', minimum: 0, description: 'Where the page begins, in characters; default 0.' },
        find: { type: 'string', minLength: 1, maxLength: 200, description: 'Only lines that hold this text.' },
        pointer: { type: 'string', maxLength: 1_000, description: 'A JSON Pointer (RFC 6901), as /items/3/name.' },
      },
      required: ['handle'],
      additionalProperties: false,
    },
  },
}

/** Whether a name is that of one of them. */
export function isRuntimeTool(name: string): boolean {
  return Object.hasOwn(definitions, name)
}

/** The view of one of them, in a generation of the catalogue. */
export function runtimeTool(name: string, generation: number): ToolView | undefined {
  const definition = isRuntimeTool(name) ? definitions[name] : undefined
  if (definition === undefined) return undefined
  return Object.freeze({
    name,
    original: name.slice('rollcall__'.length),
    appId: 'rollcall',
    plugin: 'rollcall',
    source: 'host',
    kind: 'builtin',
    generation,
    digest: digestOf({ name, version }),
    definition,
    traits: Object.freeze({
      effect: 'read',
      // What it returns is judged as what it was read from.
      dataClass: 'publicContent',
      group: 'rollcall',
      adminOnly: false,
      approval: 'notNeeded',
      zone: 'local',
    }),
    holds: Object.freeze([]),
    needs: Object.freeze([]),
  } satisfies ToolView)
}
