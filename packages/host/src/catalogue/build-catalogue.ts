import { type DataClassName, type Finding, type OperatorWords, visibleText } from '@rollcall/plugin'
import { nearest } from '../config/nearest.ts'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import { applyWords, toolOriginOf } from '../providers/apply-words.ts'
import type { Listed } from '../providers/list-tools.ts'
import type { Listing } from '../providers/provider.ts'
import { bindEntry } from './bind-entry.ts'
import { buildFeatures } from './build-features.ts'
import type { Catalogue, CatalogueEntry, FeatureEntry, ProviderReport, ToolView } from './catalogue.ts'
import { type CheckedTool, type CheckOrigin, checkTool } from './check-tool.ts'
import type { Hold } from './hold.ts'
import { personForm } from './person-form.ts'
import { publicNames } from './public-name.ts'
import { reportFailed, reportListed } from './report-provider.ts'
import { ownersOf } from './tools-named.ts'

export interface CatalogueInput {
  readonly generation: number
  /** In the order of the roll: it is the order of the catalogue. */
  readonly listed: readonly Listed[]
  /** What the operator says, by appId. */
  readonly words: ReadonlyMap<string, OperatorWords>
  /** All classes of data that there are; default: the built-in ones. */
  readonly classes?: readonly DataClassName[]
  /** About providers that have nothing to list: losers of the roll, plugins that failed. */
  readonly reports?: readonly ProviderReport[]
  readonly findings?: readonly Finding[]
  /** For the limit of previews; default: the time of this machine. */
  readonly clock?: Clock
}

/** Checks, names and settles all that was listed, and makes the catalogue of one generation from it. Never throws. */
export function buildCatalogue(input: CatalogueInput): Catalogue {
  const entries = new Map<string, CatalogueEntry>()
  const features = new Map<string, FeatureEntry>()
  const providers: ProviderReport[] = []
  const findings: Finding[] = [...(input.findings ?? [])]
  const appIds = new Set(input.listed.map(({ claim }) => claim.appId))
  const owners = ownersOf(
    input.listed.map(({ claim, listing }) => ({ appId: claim.appId, tools: listing?.tools ?? [] })),
  )
  const neighbours = { appIds, owners }

  for (const listed of input.listed) {
    if (listed.listing === undefined) {
      const failure = listed.failure ?? unlisted(listed)
      findings.push(failure)
      providers.push(reportFailed(listed, failure))
      continue
    }
    const built = buildProvider(listed, listed.listing, neighbours, input)
    for (const entry of built.entries) entries.set(entry.name, entry)
    const offered = buildFeatures(listed, listed.listing, {
      ...neighbours,
      words: input.words.get(listed.claim.appId),
      ...(input.classes && { classes: input.classes }),
    })
    if (offered.entry !== undefined) features.set(offered.entry.appId, offered.entry)
    findings.push(...listed.listing.findings, ...built.findings, ...offered.findings)
    providers.push(reportListed(listed, listed.listing, built))
  }
  return Object.freeze({
    generation: input.generation,
    entries,
    features,
    providers: Object.freeze([...providers, ...(input.reports ?? [])]),
    findings: Object.freeze(findings),
  })
}

/** What became of one provider's listing. */
export interface BuiltProvider {
  readonly entries: readonly CatalogueEntry[]
  readonly findings: readonly Finding[]
  readonly dropped: readonly Finding[]
}

type Kept = Extract<CheckedTool, { ok: true }>

function buildProvider(
  listed: Listed,
  listing: Listing,
  neighbours: Pick<CheckOrigin, 'appIds' | 'owners'>,
  input: CatalogueInput,
): BuiltProvider {
  const origin = originOf(listed, listing, neighbours)
  const findings: Finding[] = []
  const dropped: Finding[] = []
  const kept = new Map<string, Kept>()
  for (const raw of listing.tools) {
    const checked = checkTool(raw, origin)
    if (!checked.ok) dropped.push(checked.finding)
    else if (kept.has(checked.tool.name)) dropped.push(nameMet(listed, checked.tool.name))
    else {
      kept.set(checked.tool.name, checked)
      findings.push(...checked.findings)
    }
  }
  const names = publicNames(origin.appId, [...kept.keys()])
  const { clock = systemClock } = input
  const entries = [...kept.values()].map((checked) => {
    const name = names.get(checked.tool.name) ?? checked.tool.name
    const view = viewOf(name, checked, listed, listing, input)
    return bindEntry(view, checked.tool, listed.open, clock)
  })
  const unmeant = wordsAboutNobody(listed, [...kept.keys()], input.words.get(origin.appId))
  return { entries, findings: [...dropped, ...findings, ...unmeant], dropped }
}

function originOf(
  { claim }: Listed,
  { launch }: Listing,
  neighbours: Pick<CheckOrigin, 'appIds' | 'owners'>,
): CheckOrigin {
  return {
    appId: claim.appId,
    owner: claim.plugin,
    ...(launch === undefined ? {} : { launch }),
    kind: claim.provider.kind === 'mcp' ? 'mcp' : 'builtin',
    authored: claim.provider.kind === 'builtin',
    ...neighbours,
  }
}

function viewOf(
  name: string,
  { tool, digest }: Kept,
  { claim }: Listed,
  listing: Listing,
  { generation, words, classes }: CatalogueInput,
): ToolView {
  const { appId, plugin, source } = claim
  const kind = claim.provider.kind === 'mcp' ? 'mcp' : 'builtin'
  const { traits, off, noPreset } = applyWords(tool, words.get(appId), toolOriginOf(claim), classes)
  // A person has not seen how its server describes it now: nothing is written without one.
  const isDrifting = tool.drift !== undefined && traits.effect !== 'read'
  const holds: Hold[] = [...listing.holds, ...(tool.holds ?? [])]
  if (noPreset) holds.push({ by: 'noPreset', hint: `rollcall preset ${appId} <preset>` })
  if (off) holds.push({ by: 'default', hint: `rollcall enable ${name}` })
  return {
    name,
    original: tool.name,
    appId,
    plugin,
    source,
    kind,
    generation,
    digest,
    definition: tool.definition,
    traits: isDrifting ? { ...traits, approval: 'always' } : traits,
    holds: Object.freeze(holds),
    needs: Object.freeze(tool.needs ?? []),
    ...(tool.asksPerson !== undefined && { asks: Object.freeze(personForm(tool.asksPerson).keys) }),
    ...(tool.drift !== undefined && { drifting: true as const }),
  }
}

/** A misspelt name in the operator's file must not leave a tool without the words that were meant for it, unnoticed. */
function wordsAboutNobody({ claim }: Listed, tools: readonly string[], words?: OperatorWords): readonly Finding[] {
  // Nothing is listed yet: every word may come to its tool.
  if (tools.length === 0) return []
  const unknown = Object.keys(words?.tools ?? {}).filter((name) => !tools.includes(name))
  return unknown.map((name) => {
    const near = nearest(name, tools)
    const place = `providers.${claim.appId}.tools[${JSON.stringify(visibleText(name).slice(0, 80))}]`
    return {
      code: 'TOOL_NOT_FOUND',
      severity: near === undefined ? 'warn' : 'error',
      about: { plugin: claim.plugin, appId: claim.appId },
      phase: 'validate',
      message: `${place} names no tool of ${claim.appId}, so its words count for nobody.`,
      hint:
        near === undefined
          ? 'Remove it, or correct the name.'
          : `Did you mean ${JSON.stringify(visibleText(near))}? Correct the name.`,
      causes: [],
    }
  })
}

function nameMet({ claim }: Listed, tool: string): Finding {
  return {
    code: 'TOOL_NAME_MET',
    migration: 'MIG010',
    severity: 'warn',
    about: { plugin: claim.plugin, appId: claim.appId, tool },
    phase: 'validate',
    message: `${claim.appId} lists ${JSON.stringify(visibleText(tool).slice(0, 80))} twice: the first stays, the second is dropped.`,
    hint: `Rename one of the two in ${claim.plugin}.`,
    causes: [],
  }
}

function unlisted({ claim }: Listed): Finding {
  return {
    code: 'PROVIDER_LIST_FAILED',
    severity: 'error',
    about: { plugin: claim.plugin, appId: claim.appId },
    phase: 'list',
    message: `${claim.appId} listed nothing.`,
    hint: `Read the other findings about ${claim.plugin}.`,
    causes: [],
  }
}
