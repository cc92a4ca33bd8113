import type { DataClassName, Finding, Json } from '@rollcall/plugin'
import { buildCatalogue } from './catalogue/build-catalogue.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { type CatalogueDiff, diffCatalogues } from './catalogue/diff-catalogues.ts'
import { diffFeatures, type FeatureDiff } from './catalogue/diff-features.ts'
import type { Claim } from './discovery/claim.ts'
import { type ConfiguredClaims, unclaimedWords } from './discovery/configured-claims.ts'
import { type Roll, takeRoll } from './discovery/take-roll.ts'
import { keepAlive } from './isolation/keep-alive.ts'
import type { Clock } from './ports/clock.ts'
import { type Listed, listTools } from './providers/list-tools.ts'
import type { Opened, OpenedProviders } from './providers/opened-providers.ts'
import type { OpenProvider } from './providers/provider.ts'
import { reportFailure, reportLoser } from './report/report-lines.ts'
import type { Answers } from './roster.ts'
import type { Store } from './store/store.ts'
import { applySwitches, type SwitchRows } from './switches/apply-switches.ts'
import { switchPrefix } from './switches/switch-keys.ts'

export interface GenerationsOptions {
  readonly store: Store
  readonly clock: Clock
  /** All classes of data that there are. */
  readonly classes: readonly DataClassName[]
  readonly configured: ConfiguredClaims
  readonly providers: OpenedProviders
  /** The claim of the host's own tools. */
  readonly hostClaim: Claim
  /** Aborted when the host closes: nothing is replaced any more. */
  readonly signal: AbortSignal
  onReplaced(diff: CatalogueDiff, features: FeatureDiff, generation: number): void
}

/** What the plugins said, from which a catalogue is made. */
export interface RollInput {
  readonly answers: Answers
  /** What was found before anybody was asked. */
  readonly findings: readonly Finding[]
}

/**
 * The catalogue and how it is replaced: claims → roll → open → list → build → switches. Nothing patches a catalogue;
 * every change makes the next generation.
 */
export interface Generations {
  current(): Catalogue
  /** Whether an earlier generation had a tool of that name. */
  isGone(name: string): boolean
  /**
   * Makes the next generation from fresh answers.
   *
   * @throws {RollcallError} `HOST_CLOSED` when the host closes meanwhile, `STORE_UNAVAILABLE`; nothing is replaced then.
   */
  renew(input: RollInput): Promise<void>
  /** Makes the next generation from the same answers, listing these providers again. */
  relist(changed: ReadonlySet<OpenProvider>): Promise<void>
  /** The same for all MCP servers: what was accepted of them changed. */
  relistServers(): Promise<void>
  /** Reads the switches again; a new generation only if they changed. */
  reloadSwitches(): Promise<void>
  /** What `renew` would make; nothing is replaced, opened for good or started. */
  rehearse(input: RollInput): Promise<{ readonly catalogue: Catalogue; readonly diff: CatalogueDiff }>
}

interface Made {
  readonly input: RollInput
  readonly roll: Roll
  readonly listed: readonly Listed[]
  /** Without switches. */
  readonly catalogue: Catalogue
}

/** Makes the generations of a host, beginning with an empty one. */
export function createGenerations(options: GenerationsOptions): Generations {
  const { store, clock, configured, providers, signal } = options
  const everListed = new Set<string>()
  let catalogue: Catalogue = {
    generation: 0,
    entries: new Map(),
    features: new Map(),
    providers: [],
    findings: [],
  }
  let made: Made | undefined
  let rows: SwitchRows = new Map()

  // A list that hangs may hold nothing that keeps the process alive until its limit.
  const list = async (opened: readonly Opened[]) => {
    const listed = await keepAlive(listTools(opened, { clock, signal }))
    signal.throwIfAborted()
    return listed
  }

  const callRoll = ({ answers }: RollInput): Roll =>
    takeRoll({
      host: [options.hostClaim],
      configured: configured.claims,
      announced: answers.announcements.map(toClaim),
      legacy: answers.legacy.claims,
      superseded: answers.legacy.superseded,
    })

  const build = (generation: number, input: RollInput, roll: Roll, listed: readonly Listed[]): Catalogue => {
    const failed = new Set(input.answers.failures.flatMap(({ appIds }) => appIds))
    return buildCatalogue({
      generation,
      listed,
      words: configured.wordsFor,
      classes: options.classes,
      reports: [...input.answers.failures.map(reportFailure), ...roll.losers.map(reportLoser)],
      findings: [
        ...input.answers.failures.map(({ finding }) => finding),
        ...input.findings,
        ...input.answers.findings,
        ...input.answers.legacy.findings,
        ...roll.losers.map(({ finding }) => finding),
        ...unclaimedWords(configured.wordsFor, roll, failed),
      ],
    })
  }

  const replace = (next: Catalogue): void => {
    const before = catalogue
    catalogue = next
    for (const name of next.entries.keys()) everListed.add(name)
    options.onReplaced(diffCatalogues(before, next), diffFeatures(before, next), next.generation)
  }

  const readRows = async (): Promise<SwitchRows> => new Map<string, Json>(await store.settings.list(switchPrefix))

  const relist = async (changed: ReadonlySet<OpenProvider>): Promise<void> => {
    if (made === undefined) return
    const { input, roll, listed } = made
    const stale = listed.filter(({ open }) => changed.has(open))
    if (stale.length === 0) return
    const fresh = new Map((await list(stale.map(toOpened))).map((one) => [one.open, one]))
    const now = listed.map((one) => fresh.get(one.open) ?? one)
    const next = build(catalogue.generation + 1, input, roll, now)
    if (isSame(made.catalogue, next)) return
    made = { input, roll, listed: now, catalogue: next }
    replace(applySwitches(next, rows))
  }

  return {
    current: () => catalogue,
    isGone: (name) => everListed.has(name) && !catalogue.entries.has(name),
    async renew(input) {
      signal.throwIfAborted()
      const roll = callRoll(input)
      const opened = await providers.open(roll.winners, configured)
      const listed = await list(opened)
      rows = await readRows()
      made = { input, roll, listed, catalogue: build(catalogue.generation + 1, input, roll, listed) }
      replace(applySwitches(made.catalogue, rows))
      providers.retire()
    },
    relist,
    relistServers: () => {
      const servers = (made?.listed ?? []).filter(isServer)
      return relist(new Set(servers.map(({ open }) => open)))
    },
    async reloadSwitches() {
      const next = await readRows()
      if (made === undefined || same(rows, next)) return
      rows = next
      const { input, roll, listed } = made
      made = { ...made, catalogue: build(catalogue.generation + 1, input, roll, listed) }
      replace(applySwitches(made.catalogue, rows))
    },
    async rehearse(input) {
      const roll = callRoll(input)
      // Listing a server may start it for its first list, so what it said last counts.
      const servers = new Map((made?.listed ?? []).filter(isServer).map((one) => [one.open, one]))
      const opened = providers.preview(roll.winners, configured)
      const fresh = await list(opened.filter(({ open }) => !servers.has(open)))
      const known = new Map([...servers.values(), ...fresh].map((one) => [one.open, one]))
      const listed = opened.flatMap(({ claim, open }) => {
        const one = known.get(open)
        return one === undefined ? [] : [{ ...one, claim }]
      })
      const next = applySwitches(build(catalogue.generation + 1, input, roll, listed), rows)
      return { catalogue: next, diff: diffCatalogues(catalogue, next) }
    },
  }
}

function toClaim({ plugin, appId, provider }: Answers['announcements'][number]): Claim {
  return {
    appId,
    plugin: plugin.name,
    version: plugin.version,
    ...(plugin.folder !== undefined && { folder: plugin.folder }),
    source: 'announced',
    order: plugin.order,
    provider,
    from: plugin.from,
  }
}

function toOpened({ claim, open }: Listed): Opened {
  return { claim, open }
}

function isServer({ claim }: Listed): boolean {
  return claim.provider.kind === 'mcp'
}

/** Whether a generation would say nothing new; how long its providers took is no news. */
function isSame(before: Catalogue, after: Catalogue): boolean {
  const { added, removed, changed } = diffCatalogues(before, after)
  if (added.length + removed.length + changed.length > 0) return false
  const features = diffFeatures(before, after)
  if (features.prompts || features.resources) return false
  const said = ({ providers, findings }: Catalogue) =>
    JSON.stringify([providers.map(({ durationMs: _, ...rest }) => rest), findings])
  return said(before) === said(after)
}

function same(one: SwitchRows, other: SwitchRows): boolean {
  return JSON.stringify([...one]) === JSON.stringify([...other])
}
