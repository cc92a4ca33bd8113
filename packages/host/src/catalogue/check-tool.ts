import { type Digest, digestOf, type Finding, type Json, redactSecrets, visibleText } from '@rollcall/plugin'
import { plainJson } from '../providers/plain-json.ts'
import type { ListedTool } from '../providers/provider.ts'
import { checkDefinition, type Repair } from './check-definition.ts'
import type { DefinitionOrigin } from './definition-digest.ts'
import type { Hold } from './hold.ts'
import { lintSchema } from './lint-schema.ts'
import { withoutKeys } from './person-form.ts'
import { formFault } from './secret-fields.ts'
import { type Neighbours, shadowingIn } from './shadowing.ts'
import { isJsonObject } from './subschemas.ts'

const maxNameLength = 256
const maxTimeoutMs = 300_000
const holdKinds: ReadonlySet<string> = new Set<Hold['by']>([
  'switch',
  'default',
  'drift',
  'new',
  'launchChanged',
  'noPreset',
  'suspicious',
  'needsSecret',
  'needsLogin',
  'noConnector',
])

/** Whose tool it is, and by which rules it is checked. */
export interface CheckOrigin extends DefinitionOrigin, Pick<Neighbours, 'appIds' | 'owners'> {
  readonly kind: 'builtin' | 'mcp'
  /** Its name was chosen for this host, so the stricter rule of names holds. */
  readonly authored: boolean
}

/** A tool fit for the catalogue, with what is to be said about it, or the reason why it is dropped. */
export type CheckedTool =
  | { readonly ok: true; readonly tool: ListedTool; readonly digest: Digest; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly finding: Finding }

/** Checks one element of a listing, which may be anything. Never throws. */
export function checkTool(raw: unknown, origin: CheckOrigin): CheckedTool {
  if (typeof raw !== 'object' || raw === null)
    return dropped(origin, undefined, 'is no object', 'List tools as objects.')
  const listed = raw as Partial<ListedTool>
  const { name } = listed
  if (typeof name !== 'string') return dropped(origin, undefined, 'has no name', 'Give it a name.')
  const fault = nameFault(name, origin.authored)
  if (fault !== undefined) return dropped(origin, name, fault.why, fault.hint)
  const checked = checkDefinition(listed.definition, name, origin)
  if (!checked.ok) return dropped(origin, name, checked.why, checked.hint)
  const asks = checkAsksPerson(listed.asksPerson)
  if (!asks.ok)
    return dropped(origin, name, `has an asksPerson schema that can not be used: ${asks.why}`, 'Correct `asksPerson`.')

  const findings = checked.repairs.map((repair) => repaired(origin, name, repair))
  const holds = readHolds(listed.holds)
  const { suspicion } = checked.texts
  const shadow = shadowingIn(checked.texts, origin)
  if (suspicion !== undefined) findings.push(suspicious(origin, name, 'TOOL_SUSPICIOUS', suspicion))
  if (shadow !== undefined) findings.push(suspicious(origin, name, 'SHADOWING', shadow))
  if (suspicion !== undefined || shadow !== undefined) {
    if (origin.kind === 'mcp' && listed.accepted !== true)
      holds.push({ by: 'suspicious', hint: `rollcall sync --accept ${origin.appId}` })
  }
  const { definition } = checked
  const asked = asks.schema && Object.keys(asks.schema.properties as object)
  const tool: ListedTool = {
    name,
    // What a person is asked for is nothing that a model has to say.
    definition: asked ? { ...definition, inputSchema: withoutKeys(definition.inputSchema, asked) } : definition,
    ...(isObject(listed.traits) ? { traits: listed.traits } : {}),
    ...(isTimeout(listed.timeoutMs) ? { timeoutMs: Math.min(listed.timeoutMs, maxTimeoutMs) } : {}),
    ...(listed.startsOff === undefined ? {} : { startsOff: listed.startsOff }),
    holds,
    needs: readNeeds(listed.needs),
    ...(Array.isArray(listed.drift) ? { drift: listed.drift.map(String) } : {}),
    ...(asks.schema === undefined ? {} : { asksPerson: asks.schema }),
    ...(typeof listed.preview === 'function'
      ? { preview: (args: Json) => (raw as ListedTool).preview?.(args) ?? [] }
      : {}),
    ...(typeof listed.needsApproval === 'function'
      ? { needsApproval: (args: Json) => (raw as ListedTool).needsApproval?.(args) ?? true }
      : {}),
  }
  const digest = asks.schema ? digestOf({ definition: checked.digest, asksPerson: asks.schema }) : checked.digest
  return { ok: true, tool, digest, findings }
}

function nameFault(name: string, authored: boolean): { readonly why: string; readonly hint: string } | undefined {
  if (name === '') return { why: 'has an empty name', hint: 'Give it a name.' }
  if (name.length > maxNameLength)
    return { why: `has a name of more than ${maxNameLength} characters`, hint: 'Shorten its name.' }
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    return { why: 'has control characters in its name', hint: 'Take them out of its name.' }
  if (authored && !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
    return {
      why: 'has a name that an author may not use',
      hint: 'Begin with a letter; go on with letters, digits and `_`.',
    }
  return undefined
}

type Asks =
  | { readonly ok: true; readonly schema?: ListedTool['asksPerson'] }
  | { readonly ok: false; readonly why: string }

function checkAsksPerson(raw: unknown): Asks {
  if (raw === undefined) return { ok: true }
  const plain = plainJson(raw)
  if (!plain.ok) return plain
  if (!isJsonObject(plain.value) || plain.value.type !== 'object')
    return { ok: false, why: 'the root is not of type object' }
  const linted = lintSchema(plain.value)
  if (!linted.ok) return linted
  if (!isJsonObject(plain.value.properties) || Object.keys(plain.value.properties).length === 0)
    return { ok: false, why: 'it asks for nothing' }
  const fault = formFault(plain.value)
  if (fault?.why === 'hidden') return { ok: false, why: 'a key of it has hidden characters' }
  if (fault !== undefined)
    return { ok: false, why: `it asks for a secret (${JSON.stringify(fault.field.slice(0, 60))})` }
  return { ok: true, schema: linted.schema }
}

// A hold that can't be read still holds.
function readHolds(raw: unknown): Hold[] {
  if (raw === undefined) return []
  const holds: readonly unknown[] = Array.isArray(raw) ? raw : [raw]
  return holds.map((hold): Hold => {
    const { by, hint } = isObject(hold) ? hold : {}
    return {
      by: typeof by === 'string' && holdKinds.has(by) ? (by as Hold['by']) : 'new',
      hint: typeof hint === 'string' ? hint : 'rollcall report',
    }
  })
}

// A capability that nobody knows is one that no caller has.
function readNeeds(raw: unknown): NonNullable<ListedTool['needs']> {
  return Array.isArray(raw) ? raw : []
}

function dropped(origin: CheckOrigin, name: string | undefined, why: string, hint: string): CheckedTool {
  return { ok: false, finding: finding(origin, name, 'TOOL_INVALID', 'warn', `${why}; the tool is left out`, hint) }
}

function repaired(origin: CheckOrigin, name: string, { what, hint, severity }: Repair): Finding {
  return finding(origin, name, 'TOOL_INVALID', severity, what, hint)
}

function suspicious(
  origin: CheckOrigin,
  name: string,
  code: 'TOOL_SUSPICIOUS' | 'SHADOWING',
  { what, where, excerpt }: { readonly what: string; readonly where: string; readonly excerpt: string },
): Finding {
  const hint =
    origin.kind === 'mcp'
      ? `Read it; a server that is trusted is accepted with \`rollcall sync --accept ${origin.appId}\`.`
      : `Correct the text in ${origin.owner}.`
  const shown = redactSecrets(excerpt)
  return finding(origin, name, code, 'warn', `has ${what} in ${where}: ${JSON.stringify(shown)}`, hint)
}

function finding(
  { appId, owner }: CheckOrigin,
  name: string | undefined,
  code: 'TOOL_INVALID' | 'TOOL_SUSPICIOUS' | 'SHADOWING',
  severity: Finding['severity'],
  what: string,
  hint: string,
): Finding {
  const shown = name === undefined ? undefined : visibleText(name).slice(0, maxNameLength)
  const subject =
    shown === undefined ? `A tool of ${appId}` : `The tool ${JSON.stringify(shown.slice(0, 80))} of ${appId}`
  return {
    code,
    severity,
    about: { plugin: owner, appId, ...(shown === undefined ? {} : { tool: shown }) },
    phase: 'validate',
    message: `${subject} ${what}.`,
    hint,
    causes: [],
  }
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
