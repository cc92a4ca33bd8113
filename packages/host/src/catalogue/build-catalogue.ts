import type { Digest, Finding, OperatorWords } from '@rollcall/plugin'
import { applyWords } from '../providers/apply-words.ts'
import type { Listed } from '../providers/list-tools.ts'
import type { ListedTool } from '../providers/provider.ts'
import { bindEntry } from './bind-entry.ts'
import type { Catalogue, CatalogueEntry, ProviderReport } from './catalogue.ts'
import { checkTool } from './check-tool.ts'
import type { Hold } from './hold.ts'
import { publicNames } from './public-name.ts'
import { definitionDigest } from './definition-digest.ts'
import { shadowingOf } from './suspicious.ts'

/** All that a generation is made from. */
export interface CatalogueInput {
  readonly generation: number
  /** The winners of the roll with what they listed, in the order of the roll. */
  readonly listed: readonly Listed[]
  /** The operator's words by appId. */
  readonly words: ReadonlyMap<string, OperatorWords>
  /** Lines of the roll for plugins and claims that never came this far. */
  readonly reports: readonly ProviderReport[]
  readonly findings: readonly Finding[]
}

/**
 * Builds one generation: every listed tool is checked, named, described by the operator's words and bound to its
 * provider. A bad tool costs itself, a bad list its provider. Deterministic: roll order, then the provider's own.
 */
export function buildCatalogue(input: CatalogueInput): Catalogue {
  const entries = new Map<string, CatalogueEntry>()
  const findings: Finding[] = [...input.findings]
  const providers: ProviderReport[] = []
  const appIds = input.listed.map(({ claim }) => claim.appId)
  for (const listed of input.listed) {
    const built = buildProvider(listed, input, appIds)
    for (const entry of built.entries) entries.set(entry.name, entry)
    findings.push(...built.findings)
    providers.push(built.report)
  }
  return Object.freeze({
    generation: input.generation,
    entries,
    providers: Object.freeze([...providers, ...input.reports]),
    findings: Object.freeze(findings),
  })
}

interface BuiltProvider {
  readonly entries: readonly CatalogueEntry[]
  readonly findings: readonly Finding[]
  readonly report: ProviderReport
}

function buildProvider(listed: Listed, input: CatalogueInput, appIds: readonly string[]): BuiltProvider {
  const { claim, listing, failure } = listed
  if (listing === undefined) {
    const finding = failure ?? unlisted(listed)
    return { entries: [], findings: [finding], report: reportOf(listed, 'failed', 0, finding) }
  }
  const checked = listing.tools.map((tool) => checkTool(tool, claim))
  const { tools, twice } = firstOfEachName(checked.flatMap((one) => (one.ok ? [one.tool] : [])), listed)
  const names = publicNames(claim.appId, tools.map(({ name }) => name))
  const built = tools.map((tool) => buildEntry(tool, names.get(tool.name) ?? tool.name, listed, input, appIds))
  const findings = [
    ...listing.findings,
    ...checked.flatMap((one) => (one.ok ? one.findings : [one.finding])),
    ...twice,
    ...built.flatMap((one) => one.findings),
  ]
  const dropped = checked.length - tools.length
  const [held] = listing.holds
  const state = held !== undefined ? 'held' : dropped > 0 ? 'degraded' : 'active'
  return { entries: built.map(({ entry }) => entry), findings, report: withDetail(reportOf(listed, state, tools.length), listed, held, dropped) }
}

function buildEntry(tool: ListedTool, name: string, listed: Listed, input: CatalogueInput, appIds: readonly string[]) {
  const { claim, open, listing } = listed
  const kind = claim.provider.kind === 'mcp' ? 'mcp' : 'builtin'
  const digest: Digest = definitionDigest(
    { appId: claim.appId, owner: claim.plugin, ...(listing?.launch === undefined ? {} : { launch: listing.launch }) },
    tool,
  )
  const { traits, off, noPreset } = applyWords(tool, input.words.get(claim.appId), { kind, appId: claim.appId })
  const shadowed = shadowingOf(tool.definition, claim.appId, appIds)
  const holds: Hold[] = [...(listing?.holds ?? []), ...(tool.holds ?? [])]
  const findings: Finding[] = []
  if (noPreset) holds.push({ by: 'noPreset', hint: `rollcall preset ${claim.appId} <preset>` })
  if (off) holds.push({ by: 'default', hint: `rollcall enable ${name}` })
  if (shadowed !== undefined) {
    findings.push({
      code: 'TOOL_SUSPICIOUS',
      severity: 'warn',
      about: { plugin: claim.plugin, appId: claim.appId, tool: tool.name },
      phase: 'validate',
      message: `${name} speaks in its description of ${shadowed}, a tool of somebody else.`,
      hint: kind === 'mcp' ? `Read it, then: rollcall sync --accept ${claim.appId}` : 'Describe only what the tool does itself.',
      causes: [],
    })
    if (kind === 'mcp') holds.push({ by: 'suspicious', hint: `rollcall sync --accept ${claim.appId}` })
  }
  const view = {
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
  } as const
  return { entry: bindEntry(view, tool, open), findings }
}

/** The first tool of a name stays: calls must always reach the same one. */
function firstOfEachName(tools: readonly ListedTool[], { claim }: Listed) {
  const seen = new Map<string, ListedTool>()
  const twice: Finding[] = []
  for (const tool of tools) {
    if (!seen.has(tool.name)) {
      seen.set(tool.name, tool)
      continue
    }
    twice.push({
      code: 'TOOL_NAME_MET',
      severity: 'warn',
      about: { plugin: claim.plugin, appId: claim.appId, tool: tool.name },
      phase: 'validate',
      message: `${claim.appId} lists two tools named ${JSON.stringify(tool.name)}; the first is kept.`,
      hint: 'Rename one of the two at its source.',
      causes: [],
    })
  }
  return { tools: [...seen.values()], twice }
}

function reportOf(listed: Listed, state: ProviderReport['state'], tools: number, finding?: Finding): ProviderReport {
  const { claim, durationMs } = listed
  return {
    appId: claim.appId,
    plugin: claim.plugin,
    version: claim.version,
    kind: claim.provider.kind === 'mcp' ? 'mcp' : 'builtin',
    source: claim.source,
    state,
    ...(finding === undefined ? {} : { phase: finding.phase, message: finding.message, hint: finding.hint }),
    ...(finding === undefined || finding.code === 'MIGRATION' ? {} : { code: finding.code }),
    causes: finding?.causes ?? [],
    tools,
    durationMs,
    from: claim.from,
  }
}

function withDetail(report: ProviderReport, { listing }: Listed, held: Hold | undefined, dropped: number): ProviderReport {
  const from = listing === undefined || listing.detail === '' ? report.from : `${report.from} → ${listing.detail}`
  if (held !== undefined) {
    return { ...report, from, phase: 'list', code: 'PROVIDER_HELD', message: `${report.appId} is held: ${held.by}.`, hint: held.hint }
  }
  if (dropped > 0) {
    const message = `${dropped} of its tools ${dropped === 1 ? 'was' : 'were'} dropped.`
    return { ...report, from, phase: 'validate', code: 'TOOL_INVALID', message, hint: `The reasons: rollcall report` }
  }
  return { ...report, from }
}

function unlisted({ claim }: Listed): Finding {
  return {
    code: 'PROVIDER_LIST_FAILED',
    severity: 'error',
    about: { plugin: claim.plugin, appId: claim.appId },
    phase: 'list',
    message: `${claim.appId} listed nothing.`,
    hint: `Look at ${claim.plugin}.`,
    causes: [],
  }
}
