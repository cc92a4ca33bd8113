import type { OperatorWords } from '@rollcall/plugin'
import { type Digest, type Json, redactSecrets, visibleText } from '@rollcall/plugin'
import type { Claim } from '../discovery/claim.ts'
import { runIsolated } from '../isolation/run-isolated.ts'
import type { Clock } from '../ports/clock.ts'
import { applyWords } from '../providers/apply-words.ts'
import type { ListedTool, OpenProvider } from '../providers/provider.ts'
import type { CatalogueEntry, ToolView } from './catalogue.ts'
import { compileArguments } from './compile-arguments.ts'
import type { Hold } from './hold.ts'

const defaultTimeoutMs = 60_000
const previewLimitMs = 5_000
const maxPreviewLines = 20
const maxLineLength = 500

export interface EntryInput {
  readonly name: string
  readonly tool: ListedTool
  readonly digest: Digest
  readonly claim: Claim
  readonly open: OpenProvider
  readonly words: OperatorWords | undefined
  /** Why nothing of the provider may be used. */
  readonly holds: readonly Hold[]
  readonly generation: number
  readonly clock: Clock
}

/** Makes an entry: frozen data in sight, and out of sight the ways to check, show and run the tool. */
export function buildEntry(input: EntryInput): CatalogueEntry {
  const { name, tool, digest, claim, open, clock } = input
  const kind = claim.provider.kind === 'mcp' ? 'mcp' : 'builtin'
  const { traits, off, noPreset } = applyWords(tool, input.words, { kind, appId: claim.appId })
  const holds: Hold[] = [...input.holds, ...(tool.holds ?? [])]
  if (noPreset) holds.push({ by: 'noPreset', hint: `rollcall preset ${claim.appId} <preset>` })
  if (off) holds.push({ by: 'default', hint: `rollcall enable ${name}` })

  const view: ToolView = {
    name,
    original: tool.name,
    appId: claim.appId,
    plugin: claim.plugin,
    source: claim.source,
    kind,
    generation: input.generation,
    digest,
    definition: tool.definition,
    traits,
    holds: Object.freeze(holds),
  }
  const ways: Omit<CatalogueEntry, keyof ToolView> = {
    timeoutMs: tool.timeoutMs ?? defaultTimeoutMs,
    ...(tool.asksPerson === undefined ? {} : { asksPerson: tool.asksPerson }),
    parse: compileArguments(tool.definition.inputSchema),
    needsApproval: (args) => (traits.approval === 'byArguments' ? asks(tool, args) : traits.approval === 'always'),
    preview: (args) => preview(tool, args, clock),
    invoke: (args, call) => open.call(tool.name, args, call),
  }
  const hidden = Object.entries(ways).map(([key, value]) => [key, { value, enumerable: false }])
  return Object.freeze(Object.defineProperties({ ...view }, Object.fromEntries(hidden))) as CatalogueEntry
}

// Anything but a plain `false` asks, a throw included.
function asks(tool: ListedTool, args: Json): boolean {
  try {
    return tool.needsApproval?.(args) !== false
  } catch {
    return true
  }
}

async function preview(tool: ListedTool, args: Json, clock: Clock): Promise<readonly string[]> {
  if (tool.preview === undefined) return []
  const shown = await runIsolated<unknown>(() => tool.preview?.(args), { limitMs: previewLimitMs, clock })
  if (!shown.ok) return [cut(`The preview failed: ${shown.fault.message}`)]
  if (!Array.isArray(shown.value)) return ['The preview failed: it gave no list of lines.']
  const lines = shown.value
    .slice(0, maxPreviewLines)
    .flatMap((line: unknown) => String(line).slice(0, 10_000).split('\n'))
  return lines.slice(0, maxPreviewLines).map((line) => cut(visibleText(redactSecrets(line))))
}

function cut(line: string): string {
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
