import { type Finding, type PluginContext, RollcallError, silentLogger } from '@rollcall/plugin'
import type { Announcement } from './discovery/announcement.ts'
import { collectAnnounced } from './discovery/collect-announced.ts'
import type { LegacyRoom, LegacyScan } from './discovery/legacy-room.ts'
import { bindPlugin } from './events/bind-plugin.ts'
import type { ListenerReport } from './events/collect.ts'
import type { Bus } from './events/create-bus.ts'
import type { GatherOptions } from './events/gather.ts'
import type { AnnouncedGuardrail } from './guardrails/announced-guardrail.ts'
import { collectGuardrails } from './guardrails/collect-guardrails.ts'
import type { HostOptions, PluginEntry } from './host-options.ts'
import { discoverDependencies } from './plugins/discover-dependencies.ts'
import { loadPlugins } from './plugins/load-plugins.ts'
import type { LoadedPlugin, PluginFailure } from './plugins/loaded-plugin.ts'
import { type ActivePlugin, setUpPlugins } from './plugins/set-up-plugins.ts'
import type { Clock } from './ports/clock.ts'
import type { Store } from './store/store.ts'

/** What the plugins answered to one dispatch of the events, in the order of the configuration. */
export interface Answers {
  readonly announcements: readonly Announcement[]
  readonly guardrails: readonly AnnouncedGuardrail[]
  readonly findings: readonly Finding[]
  readonly listeners: readonly ListenerReport[]
  /** Plugins that could not be asked, and those whose answer was a fault. */
  readonly failures: readonly PluginFailure[]
  readonly legacy: Awaited<ReturnType<LegacyScan['scan']>>
}

/** The plugins of a host: who is there, and what each answered. */
export interface Roster {
  failures(): readonly PluginFailure[]
  plugins(): readonly LoadedPlugin[]
  /** Loads and sets up plugins; those that fail are kept as failures. @returns what became of these. */
  enlist(
    entries: readonly PluginEntry[],
  ): Promise<{ readonly active: readonly ActivePlugin[]; readonly failures: readonly PluginFailure[] }>
  /**
   * Finds dependencies with the keyword: accepted ones are enlisted, the others held. Found again, what is accepted no
   * longer is dismissed, to be retired by the caller.
   *
   * @throws {RollcallError} `STORE_UNAVAILABLE`.
   */
  discover(): Promise<{ readonly findings: readonly Finding[]; readonly dismissed: readonly ActivePlugin[] }>
  /** Dispatches the collecting events to these plugins (default: all) and keeps what they answer. */
  dispatch(plugins?: readonly ActivePlugin[]): Promise<Answers>
  /** Dispatches to all and keeps nothing. */
  rehearse(): Promise<Answers>
  /** Forgets that a plugin could not be enlisted; one of its name that is there stays. */
  forgive(failure: PluginFailure): void
  /**
   * Forgets a plugin and its answers; it still runs. @returns the plugin, to be retired; none for a mere failure.
   * @throws {RollcallError} `PLUGIN_NOT_FOUND`.
   */
  dismiss(name: string): ActivePlugin | undefined
  /** Stops a dismissed plugin once its calls in flight have ended. Never rejects. */
  retire(plugin: ActivePlugin, drained?: Promise<void>): Promise<void>
  /** Stops all plugins, those that still drain too. Never rejects. */
  stop(): Promise<void>
}

export interface RosterOptions {
  readonly options: HostOptions
  readonly bus: Bus
  readonly clock: Clock
  readonly store: Store
  readonly hostApi: string
  readonly legacy: LegacyRoom | undefined
  /** The network as a plugin may reach it. */
  readonly fetchFor: (plugin: LoadedPlugin) => PluginContext['fetch']
  readonly signal: AbortSignal
  onLateFinding(finding: Finding): void
}

type Answered = Omit<Answers, 'legacy'>

const nothing: Answered = { announcements: [], guardrails: [], findings: [], listeners: [], failures: [] }
const noLegacy: Answers['legacy'] = { claims: [], findings: [], superseded: [] }

/** Makes an empty roster. */
export function createRoster(context: RosterOptions): Roster {
  const { options, bus, clock, legacy } = context
  const { logger = silentLogger } = options
  const limitMs = options.pluginTimeoutMs ?? 5_000
  const limits = { limitMs, totalMs: 3 * limitMs, clock }
  const scan = legacy?.createScan(scanOptions(options.legacyScan))
  let active: readonly ActivePlugin[] = []
  let failures: readonly PluginFailure[] = []
  let answered = nothing
  let nextOrder = 0
  /** What each accepted dependency became, and the failures of all the others. */
  const accepted = new Map<string, ActivePlugin>()
  let undiscovered: ReadonlySet<PluginFailure> = new Set()
  const leaving = new Set<Promise<void>>()

  const ask = async (
    plugins: readonly ActivePlugin[],
    onLateFinding?: RosterOptions['onLateFinding'],
  ): Promise<Answered> => {
    const gathering: GatherOptions = {
      bus,
      plugins,
      hostApi: context.hostApi,
      ...limits,
      logger,
      signal: context.signal,
      ...(onLateFinding === undefined ? {} : { onLateFinding }),
    }
    const [announced, guarding] = await Promise.all([collectAnnounced(gathering), collectGuardrails(gathering)])
    return {
      ...announced,
      guardrails: guarding.guardrails,
      findings: [...announced.findings, ...guarding.findings],
      listeners: [...announced.listeners, ...guarding.listeners].sort((one, other) => one.order - other.order),
    }
  }

  const scanLegacy = async (announcements: readonly Announcement[], by: LegacyScan | undefined) => {
    if (by === undefined) return noLegacy
    const announced = new Set(announcements.map(({ appId }) => appId))
    const plugins = active.map((plugin) => ({ plugin, container: plugin.container }))
    return by.scan({ plugins, announced, clock, limitMs })
  }

  const enlist: Roster['enlist'] = async (entries) => {
    const startOrder = nextOrder
    nextOrder += entries.length
    const { loaded, failures: unloaded } = await loadPlugins(entries, {
      cwd: options.cwd ?? process.cwd(),
      startOrder,
      variables: options.variables ?? {},
      hostApi: context.hostApi,
      known: active,
      limitMs,
      clock,
    })
    const { active: ready, failures: unready } = await setUpPlugins(loaded, {
      bind: (plugin, { signal }) => bindPlugin(bus, plugin, { signal }),
      createContainer: () => legacy?.createContainer(options.services) ?? noContainer,
      fetchFor: context.fetchFor,
      logger,
      ...limits,
    })
    const failed = [...unloaded, ...unready]
    active = [...active, ...ready].toSorted((a, b) => a.order - b.order)
    // Enlisting a plugin that was only held is the operator's word on it.
    const names = new Set(ready.map(({ name }) => name))
    failures = [...failures.filter(({ state, name }) => !(state === 'held' && names.has(name))), ...failed].toSorted(
      (a, b) => a.order - b.order,
    )
    return { active: ready, failures: failed }
  }

  const withFailures = (answers: Answered): Answered => ({ ...answers, failures: [...failures, ...answers.failures] })

  const drop = (plugin: ActivePlugin) => {
    active = active.filter((one) => one !== plugin)
    answered = merge(answered, nothing, new Set([plugin.name]))
  }

  return {
    enlist,
    failures: () => [...failures, ...answered.failures],
    plugins: () => active,
    async discover() {
      const { settings } = context.store
      const found = await discoverDependencies({ cwd: options.cwd ?? process.cwd(), settings, startOrder: nextOrder })
      failures = failures.filter((one) => !undiscovered.has(one))
      const gone = [...accepted].filter(([name]) => !found.accepted.includes(name))
      for (const [name, plugin] of gone) {
        accepted.delete(name)
        drop(plugin)
      }
      const known = new Set([...active, ...failures].map(({ name }) => name))
      const fresh = found.accepted.filter((name) => !accepted.has(name) && !known.has(name))
      const startOrder = nextOrder
      const { active: ready, failures: failed } = await enlist(fresh)
      for (const plugin of ready) accepted.set(fresh[plugin.order - startOrder] ?? plugin.name, plugin)
      const held = found.held.filter(({ name }) => !known.has(name))
      undiscovered = new Set([...failed, ...held])
      failures = [...failures, ...held]
      return { findings: found.findings, dismissed: gone.map(([, plugin]) => plugin) }
    },
    async dispatch(plugins = active) {
      const fresh = await ask(plugins, context.onLateFinding)
      const asked = new Set(plugins.map(({ name }) => name))
      answered = merge(answered, fresh, asked)
      return { ...withFailures(answered), legacy: await scanLegacy(answered.announcements, scan) }
    },
    async rehearse() {
      const fresh = await ask(active)
      return {
        ...withFailures(fresh),
        legacy: await scanLegacy(fresh.announcements, legacy?.createScan(scanOptions(options.legacyScan))),
      }
    },
    forgive(failure) {
      failures = failures.filter((one) => one !== failure)
    },
    dismiss(name) {
      const plugin = active.find((one) => one.name === name || one.appIds.includes(name))
      const isFailed = failures.some((one) => one.name === name)
      if (plugin === undefined && !isFailed) throw notFound(name, active)
      failures = failures.filter((one) => one.name !== name)
      if (plugin !== undefined) drop(plugin)
      return plugin
    },
    async retire(plugin, drained) {
      const stopped = plugin.stop(drained)
      leaving.add(stopped)
      await stopped
      leaving.delete(stopped)
    },
    async stop() {
      const all = active
      active = []
      await Promise.allSettled([...all.map((plugin) => plugin.stop()), ...leaving])
    },
  }
}

/** Puts fresh answers in the place of earlier ones of the same plugins. */
function merge(before: Answered, fresh: Answered, asked: ReadonlySet<string>): Answered {
  const others = <T>(list: readonly T[], pluginOf: (item: T) => string | undefined) =>
    list.filter((item) => !asked.has(pluginOf(item) ?? ''))
  const byOrder = (one: { readonly order: number }, other: { readonly order: number }) => one.order - other.order
  return {
    announcements: [...others(before.announcements, ({ plugin }) => plugin.name), ...fresh.announcements].sort((a, b) =>
      byOrder(a.plugin, b.plugin),
    ),
    guardrails: [...others(before.guardrails, ({ plugin }) => plugin), ...fresh.guardrails].sort(byOrder),
    findings: [...others(before.findings, ({ about }) => about.plugin), ...fresh.findings],
    listeners: [...others(before.listeners, ({ plugin }) => plugin), ...fresh.listeners].sort(byOrder),
    failures: [...others(before.failures, ({ name }) => name), ...fresh.failures].sort(byOrder),
  }
}

function scanOptions(legacyScan: HostOptions['legacyScan']) {
  if (typeof legacyScan === 'object') return legacyScan
  return { mode: legacyScan ?? 'warn' } as const
}

// A host without the legacy folder still lets an unmigrated plugin register: nobody will look.
const noContainer = { register() {}, has: () => false, get: () => undefined }

function notFound(name: string, active: readonly LoadedPlugin[]): RollcallError {
  const names = active.map((plugin) => plugin.name).join(', ')
  return new RollcallError('PLUGIN_NOT_FOUND', `There is no plugin ${name} in this host.`, {
    hint: `Plugins: ${names || 'none'}`,
  })
}
