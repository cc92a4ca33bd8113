import { type Json, type JsonObject, redactSecrets, visibleText } from '@rollcall/plugin'
import { runIsolated } from '../isolation/run-isolated.ts'
import type { Clock } from '../ports/clock.ts'
import type { ListedTool, OpenProvider, ProviderCall } from '../providers/provider.ts'
import type { CatalogueEntry, ToolView } from './catalogue.ts'
import { compileArguments } from './compile-arguments.ts'
import { omit, type PersonForm, personForm, pick } from './person-form.ts'

const defaultTimeoutMs = 60_000
const previewLimitMs = 5_000
const maxPreviewLines = 20
const maxLineLength = 500
const maxLineRead = 10_000

// A definition that was seen before keeps its check: a new generation costs no new compilation.
const checks = new WeakMap<object, ReturnType<typeof compileArguments>>()

/** Binds a view to the provider that runs it. The ways to run it are no enumerable part of it, so copies lose them. */
export function bindEntry(view: ToolView, tool: ListedTool, open: OpenProvider, clock: Clock): CatalogueEntry {
  const { inputSchema } = view.definition
  const parse = checks.get(inputSchema) ?? compileArguments(inputSchema)
  checks.set(inputSchema, parse)
  const { approval } = view.traits
  const form = tool.asksPerson === undefined ? undefined : personForm(tool.asksPerson)
  const ways: Omit<CatalogueEntry, keyof ToolView> = {
    timeoutMs: tool.timeoutMs ?? defaultTimeoutMs,
    ...(form === undefined ? {} : { form }),
    parse: form === undefined ? parse : parseParts(parse, form),
    needsApproval: (args: Json) => (approval === 'byArguments' ? asks(tool, args) : approval === 'always'),
    preview: async (args: Json) =>
      [...driftLines(tool), ...(await preview(tool, args, clock))].slice(0, maxPreviewLines),
    invoke: (args: Json, call: ProviderCall) => open.call(tool.name, args, call),
  }
  const hidden = Object.entries(ways).map(([key, value]) => [key, { value, enumerable: false }])
  return Object.freeze(Object.defineProperties({ ...view }, Object.fromEntries(hidden))) as CatalogueEntry
}

/** What a model said is checked by the tool's schema, and what a person said, as far as it is there, by the form. */
function parseParts(parse: CatalogueEntry['parse'], form: PersonForm): CatalogueEntry['parse'] {
  return (args) => {
    const whole = args as JsonObject
    const said = pick(whole, form.keys)
    const checks = [parse(omit(whole, form.keys)), ...(Object.keys(said).length > 0 ? [form.parse(said)] : [])]
    return checks.find(({ ok }) => !ok) ?? { ok: true, value: args }
  }
}

// Anything but a plain `false` asks, a throw included.
function asks(tool: ListedTool, args: Json): boolean {
  try {
    return tool.needsApproval?.(args) !== false
  } catch {
    return true
  }
}

function driftLines({ drift }: ListedTool): readonly string[] {
  if (drift === undefined) return []
  const lines = drift.map((line) => cut(visibleText(redactSecrets(line))))
  return ['The server describes this tool otherwise than it was accepted:', ...lines]
}

async function preview(tool: ListedTool, args: Json, clock: Clock): Promise<readonly string[]> {
  if (tool.preview === undefined) return []
  const made = await runIsolated<unknown>(
    async () => {
      const lines = await tool.preview?.(args)
      if (!Array.isArray(lines)) return undefined
      return lines.slice(0, maxPreviewLines).map((line: unknown) => String(line))
    },
    { limitMs: previewLimitMs, clock },
  )
  if (!made.ok) return [cut(`The preview failed: ${made.fault.message}`)]
  if (!Array.isArray(made.value)) return ['The preview failed: it gave no list of lines.']
  const lines = (made.value as readonly string[]).flatMap((line) => line.slice(0, maxLineRead).split('\n'))
  return lines.slice(0, maxPreviewLines).map((line) => cut(visibleText(redactSecrets(line))))
}

function cut(line: string): string {
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
