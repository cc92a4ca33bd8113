import { type Digest, type Finding, type Json, type JsonObject, visibleText } from '@rollcall/plugin'
import { plainJson } from '../providers/plain-json.ts'
import type { ListedTool } from '../providers/provider.ts'
import { type DefinitionOrigin, definitionDigest } from './definition-digest.ts'
import { lintSchema } from './lint-schema.ts'
import { isJsonObject } from './subschemas.ts'
import { type InspectedTexts, inspectTexts } from './suspicious.ts'

const maxDescriptionBytes = 8 * 1024

/** A definition as plain frozen data, fit to be served, or why it is dropped. */
export type CheckedDefinition =
  | {
      readonly ok: true
      readonly definition: ListedTool['definition']
      readonly digest: Digest
      readonly texts: InspectedTexts
      /** What was repaired, in words. */
      readonly repairs: readonly Repair[]
    }
  | { readonly ok: false; readonly why: string; readonly hint: string }

export interface Repair {
  readonly what: string
  readonly hint: string
  readonly severity: Finding['severity']
}

// A list that comes again with the same objects costs nothing.
const known = new WeakMap<object, Map<string, CheckedDefinition>>()

/** Checks what a provider says about a tool. The same object with the same name and origin is checked once. */
export function checkDefinition(raw: unknown, name: string, origin: DefinitionOrigin): CheckedDefinition {
  if (typeof raw !== 'object' || raw === null) return bad('has no definition', 'List an object with an `inputSchema`.')
  const key = [origin.appId, origin.owner, origin.launch ?? '', name].join('\0')
  const before = known.get(raw) ?? new Map<string, CheckedDefinition>()
  known.set(raw, before)
  const checked = before.get(key) ?? check(raw, name, origin)
  before.set(key, checked)
  return checked
}

function check(raw: object, name: string, origin: DefinitionOrigin): CheckedDefinition {
  const plain = plainJson(raw)
  if (!plain.ok) return bad(`has a definition that is no JSON: ${plain.why}`, 'Use plain data only.')
  if (!isJsonObject(plain.value))
    return bad('has a definition that is no object', 'List an object with an `inputSchema`.')
  const { description, title, inputSchema, outputSchema, annotations, icons, _meta } = plain.value
  for (const [field, text] of Object.entries({ description, title })) {
    if (text === undefined || text === null) continue
    if (typeof text !== 'string') return bad(`has a ${field} that is no text`, `Make \`${field}\` a string.`)
    if (Buffer.byteLength(text) > maxDescriptionBytes)
      return bad(`has a ${field} of more than ${maxDescriptionBytes / 1024} KB`, `Shorten \`${field}\`.`)
  }
  const repairs: Repair[] = []
  const input = checkInput(inputSchema, repairs)
  if (!input.ok) return bad(`has an input schema that can not be used: ${input.why}`, 'Correct its input schema.')
  const output = checkOutput(outputSchema, repairs)
  const definition: ListedTool['definition'] = Object.freeze({
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof title === 'string' ? { title } : {}),
    inputSchema: input.schema,
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(isJsonObject(annotations) ? { annotations } : {}),
    ...(icons === undefined ? {} : { icons }),
    ...(isJsonObject(_meta) ? { _meta } : {}),
  })
  const tool = { name, definition }
  return { ok: true, definition, digest: definitionDigest(origin, tool), texts: inspectTexts(tool), repairs }
}

type Linted = { readonly ok: true; readonly schema: JsonObject } | { readonly ok: false; readonly why: string }

function checkInput(schema: Json | undefined, repairs: Repair[]): Linted {
  if (schema === undefined || schema === null) {
    repairs.push(
      repair(
        'has no input schema, so whatever object comes is passed on',
        'State its input schema, `{ "type": "object" }` at least.',
      ),
    )
    return { ok: true, schema: Object.freeze({ type: 'object' }) }
  }
  if (!isJsonObject(schema))
    return { ok: false, why: `the root is ${Array.isArray(schema) ? 'a list' : `a ${typeof schema}`}` }
  const rooted = withObjectRoot(schema)
  if (rooted === undefined)
    return { ok: false, why: `the root is of type ${JSON.stringify(schema.type).slice(0, 80)}, not object` }
  if (rooted !== schema) {
    repairs.push(
      repair('has an input schema whose root states no type: object is taken', 'Write `"type": "object"` at its root.'),
    )
  }
  const linted = lintSchema(rooted)
  return linted.ok ? { ok: true, schema: rooted } : linted
}

// What consumers can't read is left out: the result itself is passed on all the same.
function checkOutput(schema: Json | undefined, repairs: Repair[]): JsonObject | undefined {
  if (schema === undefined || schema === null) return undefined
  const why = outputFault(schema)
  if (why === undefined) return schema as JsonObject
  repairs.push(repair(`has an output schema that is left out: ${why}`, 'Correct its output schema.'))
  return undefined
}

function outputFault(schema: Json): string | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object') return 'the root is not of type object'
  const linted = lintSchema(schema)
  return linted.ok ? undefined : linted.why
}

/** Arguments are always an object, so a root that only leaves its type open means one. */
function withObjectRoot(schema: JsonObject): JsonObject | undefined {
  const { type } = schema
  if (type === 'object') return schema
  const open = type === undefined || (Array.isArray(type) && type.includes('object'))
  return open ? Object.freeze({ ...schema, type: 'object' }) : undefined
}

function repair(what: string, hint: string): Repair {
  return { what: visibleText(what), hint, severity: 'warn' }
}

function bad(why: string, hint: string): CheckedDefinition {
  return { ok: false, why: visibleText(why), hint }
}
