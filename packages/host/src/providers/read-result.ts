import { RollcallError, type ToolContent, type ToolDefinition, type ToolResult } from '@rollcall/plugin'
import type { TSchema } from 'typebox'
import { faultsAgainst } from './author-schema.ts'
import { plainJson } from './plain-json.ts'

const resultKeys: ReadonlySet<string> = new Set(['content', 'structured', 'artifacts', 'isError', 'meta'])
const maxNamed = 5

/**
 * Reads what `execute` returned: text becomes a text block, `structured` without `content` gets its JSON text, and a
 * stated output schema is kept.
 *
 * @throws {RollcallError} `TOOL_FAILED` for anything that is no result or does not fit `output`.
 */
export async function readResult(name: string, definition: ToolDefinition, returned: unknown): Promise<ToolResult> {
  const result = shapeOf(name, returned)
  if (definition.output !== undefined && result.isError !== true)
    await checkOutput(name, definition.output, result.structured)
  return result
}

function shapeOf(name: string, returned: unknown): ToolResult {
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] }
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    const what = returned === null ? 'null' : Array.isArray(returned) ? 'a list' : typeof returned
    throw failed(name, `returned ${what} instead of a text or a result`)
  }
  const strange = Object.keys(returned).filter((key) => !resultKeys.has(key))
  if (strange.length > 0)
    throw failed(name, `returned an object with the unknown key ${strange.slice(0, maxNamed).join(', ')}`)
  const plain = plainJson(returned)
  if (!plain.ok) throw failed(name, `returned what can not be sent: ${plain.why}`)
  const result = plain.value as ToolResult
  if (result.content !== undefined) checkContent(name, result.content)
  if (result.artifacts !== undefined && !(Array.isArray(result.artifacts) && result.artifacts.every(isObject)))
    throw failed(name, 'returned `artifacts` that are no list of objects')
  if (result.isError !== undefined && typeof result.isError !== 'boolean')
    throw failed(name, 'returned `isError` that is no boolean')
  if (result.meta !== undefined && !isObject(result.meta)) throw failed(name, 'returned `meta` that is no object')
  if (result.content !== undefined || result.structured === undefined) return result
  return { ...result, content: [{ type: 'text', text: JSON.stringify(result.structured) }] }
}

function checkContent(name: string, content: unknown): void {
  if (!Array.isArray(content)) throw failed(name, 'returned `content` that is no list of blocks')
  for (const [index, block] of content.entries()) {
    const needs = isObject(block) ? requiredTexts(block) : ['type']
    const absent = needs.filter((key) => typeof (block as { [key: string]: unknown } | null)?.[key] !== 'string')
    if (absent.length > 0) throw failed(name, `returned content block ${index} without the text ${absent.join(', ')}`)
  }
}

// Blocks of kinds that are unknown here pass: only what a reader of known kinds relies on is asked for.
function requiredTexts(block: { readonly [key: string]: unknown }): readonly string[] {
  const kinds: { readonly [type: string]: readonly string[] } = {
    text: ['text'],
    image: ['data', 'mimeType'],
    audio: ['data', 'mimeType'],
    resource_link: ['uri', 'name'],
  }
  const type = block.type as ToolContent['type']
  return ['type', ...(Object.hasOwn(kinds, type) ? (kinds[type] ?? []) : [])]
}

async function checkOutput(name: string, output: TSchema, structured: unknown): Promise<void> {
  if (structured === undefined) throw failed(name, 'states an `output` schema and returned nothing `structured`')
  const faults = await faultsAgainst(output, structured)
  if (faults.length > 0) throw failed(name, `returned what its \`output\` schema does not allow: ${faults.join('; ')}`)
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function failed(name: string, what: string): RollcallError {
  return new RollcallError('TOOL_FAILED', `${name} ${what}.`, {
    hint: 'Return a string or { content?, structured?, artifacts?, isError?, meta? } from `execute`.',
  })
}
