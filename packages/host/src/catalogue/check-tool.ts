import { type Finding, hasHiddenCharacters, type JsonSchema, visibleText } from '@rollcall/plugin'
import type { Claim } from '../discovery/claim.ts'
import type { ListedTool } from '../providers/provider.ts'
import type { Hold } from './hold.ts'
import { type LintedSchema, lintSchema } from './lint-schema.ts'
import { isJsonObject } from './subschemas.ts'
import { suspicionOf } from './suspicious.ts'

const maxNameLength = 256
const maxDescriptionBytes = 8 * 1024

/** A tool fit for the catalogue with what was noticed about it, or why it is dropped: one finding a fault. */
export type CheckedTool =
  | { readonly ok: true; readonly tool: ListedTool; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly finding: Finding }

// Linting is the cost of a generation; a schema object that was linted before is not linted again.
const linted = new WeakMap<object, LintedSchema>()

/** Checks what a provider listed: it may have listed anything. */
export function checkTool(listed: unknown, claim: Claim): CheckedTool {
  const kind = claim.provider.kind === 'mcp' ? 'mcp' : 'builtin'
  if (!isJsonObject(listed)) return drop(claim, undefined, `is no tool but ${listed === null ? 'null' : typeof listed}`)
  const tool = listed as unknown as ListedTool
  const { name, definition } = tool
  if (typeof name !== 'string' || name === '') return drop(claim, undefined, 'has no name')
  if (name.length > maxNameLength) return drop(claim, name.slice(0, 64), `has a name of over ${maxNameLength} characters`)
  if (hasHiddenCharacters(name) || /[\n\t]/.test(name)) return drop(claim, visibleText(name), 'has hidden characters in its name')
  if (!isJsonObject(definition)) return drop(claim, name, 'has no definition')
  const { description, title } = definition
  if (description !== undefined && typeof description !== 'string') return drop(claim, name, 'has a description that is no text')
  if (title !== undefined && typeof title !== 'string') return drop(claim, name, 'has a title that is no text')
  if (Buffer.byteLength(description ?? '') > maxDescriptionBytes) return drop(claim, name, 'has a description of over 8 KB')

  const findings: Finding[] = []
  const input = inputOf(definition.inputSchema)
  if (typeof input === 'string') return drop(claim, name, input)
  if (input.repaired) findings.push(notice(claim, name, 'has no input schema and is offered with an empty object', 'TOOL_INVALID'))
  const { outputSchema, ...rest } = definition
  const output = outputOf(outputSchema)
  if (output === 'unusable') findings.push(notice(claim, name, 'has an output schema that can not be used; it is left out', 'TOOL_INVALID'))

  const checked = { ...rest, inputSchema: input.schema, ...(typeof output === 'object' ? { outputSchema: output } : {}) }
  const holds: Hold[] = [...(tool.holds ?? [])]
  const suspicion = suspicionOf(checked)
  if (suspicion !== undefined) {
    findings.push(notice(claim, name, suspicion, 'TOOL_SUSPICIOUS'))
    if (kind === 'mcp') holds.push({ by: 'suspicious', hint: `rollcall sync --accept ${claim.appId}` })
  }
  return { ok: true, tool: { ...tool, definition: checked, holds }, findings }
}

/** The schema to offer, or what is wrong with it. */
function inputOf(schema: unknown): { readonly schema: JsonSchema; readonly repaired: boolean } | string {
  if (schema === undefined || schema === null) return { schema: { type: 'object' }, repaired: true }
  if (!isJsonObject(schema)) return 'has an input schema that is no object'
  if (schema.type !== 'object') return `has an input schema whose root is ${JSON.stringify(schema.type ?? 'without type')}, not an object`
  const sound = lint(schema)
  return sound.ok ? { schema, repaired: false } : `has an input schema that can not be used: ${sound.why}`
}

function outputOf(schema: unknown): JsonSchema | 'unusable' | undefined {
  if (schema === undefined) return undefined
  if (!isJsonObject(schema)) return 'unusable'
  return lint(schema).ok ? schema : 'unusable'
}

function lint(schema: JsonSchema): LintedSchema {
  const known = linted.get(schema) ?? lintSchema(schema)
  linted.set(schema, known)
  return known
}

function drop(claim: Claim, tool: string | undefined, what: string): CheckedTool {
  return { ok: false, finding: { ...notice(claim, tool, `${what}, so it is left out`, 'TOOL_INVALID') } }
}

function notice(claim: Claim, tool: string | undefined, what: string, code: 'TOOL_INVALID' | 'TOOL_SUSPICIOUS'): Finding {
  const name = tool === undefined ? 'a tool' : JSON.stringify(tool)
  const hint =
    code === 'TOOL_SUSPICIOUS' && claim.provider.kind === 'mcp'
      ? `Read it; if you trust its server: rollcall sync --accept ${claim.appId}`
      : `Correct it in ${claim.from}; the other tools of ${claim.appId} are kept.`
  return {
    code,
    severity: 'warn',
    about: { plugin: claim.plugin, appId: claim.appId, ...(tool === undefined ? {} : { tool }) },
    phase: 'validate',
    message: `${claim.appId}: ${name} ${what}.`,
    hint,
    causes: [],
  }
}
