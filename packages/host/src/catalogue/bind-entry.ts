import type { Json } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { runIsolated } from '../isolation/run-isolated.ts'
import { systemClock } from '../ports/system-clock.ts'
import type { ListedTool, OpenProvider, ProviderCall } from '../providers/provider.ts'
import type { CatalogueEntry, ToolView } from './catalogue.ts'
import { compileArguments } from './compile-arguments.ts'

const defaultTimeoutMs = 60_000
const previewLimitMs = 5_000
const maxPreviewLines = 20
const maxPreviewLength = 500

// A definition that was seen before keeps its check: a new generation costs no new compilation.
const checks = new WeakMap<object, ReturnType<typeof compileArguments>>()

/** Binds a view to the provider that runs it. The ways to run it are no enumerable part of it, so copies lose them. */
export function bindEntry(view: ToolView, tool: ListedTool, open: OpenProvider): CatalogueEntry {
  const { inputSchema } = view.definition
  const check = checks.get(inputSchema) ?? compileArguments(inputSchema)
  checks.set(inputSchema, check)
  const hidden = {
    timeoutMs: tool.timeoutMs ?? defaultTimeoutMs,
    ...(tool.asksPerson === undefined ? {} : { asksPerson: tool.asksPerson }),
    parse: check,
    needsApproval: (args: Json) => asks(tool, args),
    preview: (args: Json) => preview(tool, args),
    invoke: (args: Json, call: ProviderCall) => open.call(tool.name, args, call),
  }
  const entry = Object.defineProperties(
    { ...view },
    Object.fromEntries(Object.entries(hidden).map(([key, value]) => [key, { value, enumerable: false }])),
  )
  return Object.freeze(entry) as CatalogueEntry
}

function asks(tool: ListedTool, args: Json): boolean {
  try {
    return tool.needsApproval?.(args) ?? true
  } catch {
    return true
  }
}

async function preview(tool: ListedTool, args: Json): Promise<readonly string[]> {
  if (tool.preview === undefined) return []
  const made = await runIsolated(() => tool.preview?.(args), { limitMs: previewLimitMs, clock: systemClock })
  if (!made.ok) return [`(no preview: ${made.fault.message})`]
  if (!Array.isArray(made.value)) return [`(no preview: ${describeThrown(made.value).message})`]
  return made.value.slice(0, maxPreviewLines).map((line) => String(line).slice(0, maxPreviewLength))
}
