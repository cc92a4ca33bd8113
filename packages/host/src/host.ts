import {
  ApprovalRequested,
  FeaturesChanged,
  type Finding,
  RollcallError,
  silentLogger,
  ToolsChanged,
} from '@rollcall/plugin'
import type { HostOptions } from './host-options.ts'
import type { Host } from './host-types.ts'
import { createMemoryStore } from './store/create-memory-store.ts'
import { watchSettings } from './store/watch-settings.ts'
import { systemClock } from './ports/system-clock.ts'
import { createWorkQueue } from './isolation/create-work-queue.ts'
import { describeThrown } from './isolation/describe-thrown.ts'
import { keepAlive } from './isolation/keep-alive.ts'
import { catalogueNotReady, hostIsClosed } from './refusals.ts'
// The rooms, in the order in which a tool passes them.
import { checkHostOptions } from './config/check-host-options.ts'
import { createOutboundFetch } from './outbound/create-outbound-fetch.ts'
import { pluginFetch } from './outbound/plugin-fetch.ts'
import type { PluginFailure } from './plugins/loaded-plugin.ts'
import type { ActivePlugin } from './plugins/set-up-plugins.ts'
import { createRoster } from './roster.ts'
import { createBus } from './events/create-bus.ts'
import { currentListener } from './events/current-listener.ts'
import { listenToFacts } from './events/listen-to-facts.ts'
import { notify } from './events/notify.ts'
import { configuredClaims } from './discovery/configured-claims.ts'
import { hostClaim } from './discovery/host-claim.ts'
import type { LegacyRoom } from './discovery/legacy-room.ts'
import { createOpenedProviders } from './providers/opened-providers.ts'
import { createGenerations } from './generations.ts'
import { createSwitches } from './switches/create-switches.ts'
import { acceptedPrefix, switchPrefix } from './switches/switch-keys.ts'
import { profilesOf } from './gate/built-in-profiles.ts'
import { createPolicy } from './gate/policy.ts'
import { chooseGuardrails } from './guardrails/choose-guardrails.ts'
import { createGuardrails } from './guardrails/create-guardrails.ts'
import { redactingLogger } from './guardrails/redacting-logger.ts'
import type { CallDeps } from './invoke/call-deps.ts'
import { createGrantBook } from './invoke/grant-book.ts'
import { createKeptOutcomes } from './invoke/kept-outcomes.ts'
import { createProviderSlots } from './invoke/provider-slots.ts'
import { readDigestKey } from './invoke/read-digest-key.ts'
import { createTaintBook } from './invoke/taint-book.ts'
import { createResultBook } from './results/result-book.ts'
import { createToolRuntime } from './create-tool-runtime.ts'
import { createFeatureRuntime } from './features/create-feature-runtime.ts'
import { beginUpkeep } from './begin-upkeep.ts'
import { createContentBook } from './audit/content-book.ts'
import { createReporter } from './report/create-reporter.ts'
import type { Report } from './report/report.ts'
import { hostTools } from './report/host-tools.ts'
import { hostApi, version } from './version.ts'

const lastCallsMs = 1_000

/**
 * Puts the rooms together, in the order in which a tool passes them: plugins are set up and asked, claims are settled,
 * providers opened and listed, the catalogue built and switched; the gate, the runtime and the report stand on it.
 *
 * @throws {RollcallError} `CONFIG_INVALID` before anything has started; the code of a plugin marked `onFailure: 'abort'`,
 * or `STORE_UNAVAILABLE`, after all that had started is closed again.
 */
export async function assembleHost(given: HostOptions, rooms: { readonly legacy?: LegacyRoom }): Promise<Host> {
  checkHostOptions(given)
  const logger = given.logger === undefined ? silentLogger : redactingLogger(given.logger)
  const options = { ...given, logger }
  const configured = configuredClaims(options.providers)
  const profiles = profilesOf(options.profiles)
  const policy = createPolicy(options)
  const { clock = systemClock } = options
  const store = options.store ?? createMemoryStore({ clock })
  const closing = new AbortController()
  const { signal } = closing
  const queue = createWorkQueue()
  const bus = createBus(logger)
  const slots = createProviderSlots()
  const outbound = createOutboundFetch(options.outbound)

  const roster = createRoster({
    options,
    bus,
    clock,
    store,
    hostApi,
    legacy: rooms.legacy,
    fetchFor: (plugin) => pluginFetch(outbound.fetch, plugin, configured.wordsFor),
    signal,
    onLateFinding: (finding) => reporter.note(finding),
  })
  const providers = createOpenedProviders({
    connectMcp: options.connectMcp,
    legacy: rooms.legacy,
    settings: store.settings,
    logger,
    signal,
    fetch: outbound.fetch,
    idle: slots.idle,
    onChanged(open) {
      if (signal.aborted) return
      queue
        .coalesce(open, (changed) => generations.relist(changed))
        .catch((error: unknown) => {
          // Whoever closes the host does not wait for it.
          if (!signal.aborted) logger.error('a changed list could not be read', { ...describeThrown(error) })
        })
    },
  })
  const isEmpty = () =>
    roster.plugins().length === 0 && roster.failures().length === 0 && configured.claims.length === 0
  const generations = createGenerations({
    store,
    clock,
    classes: policy.classes,
    configured,
    providers,
    hostClaim: hostClaim(() => hostTools({ report: () => reporter.report(), isEmpty }), version),
    signal,
    onReplaced: (diff, features, generation) => {
      if (diff.added.length + diff.removed.length + diff.changed.length > 0)
        notify(bus, new ToolsChanged({ generation, ...diff }))
      if (features.prompts || features.resources) notify(bus, new FeaturesChanged({ generation, ...features }))
    },
  })
  const reporter = createReporter({ generations, logger, policy })
  const { content = 'none' } = options.audit ?? {}
  const grants = createGrantBook({ settings: store.settings, clock })
  const guardrails = createGuardrails({ clock, onFinding: (finding) => reporter.note(finding) })
  const deps: CallDeps = {
    store,
    clock,
    logger,
    profiles,
    policy,
    slots,
    taints: createTaintBook({ settings: store.settings, clock, policy }),
    grants,
    kept: createKeptOutcomes({ store, clock }),
    results: createResultBook({ store, clock }),
    ...(content !== 'none' && { content: createContentBook(store, content) }),
    signal,
    guardrails,
    currentListener,
    catalogue: () => generations.current(),
    isGone: (name) => generations.isGone(name),
    digestKey: readDigestKey(store.settings),
    notify(fact) {
      if (fact instanceof ApprovalRequested) upkeep.tellNow()
      notify(bus, fact)
    },
  }
  const upkeep = beginUpkeep(deps, options, outbound.fetch)
  const tools = createToolRuntime(deps)
  const features = createFeatureRuntime(deps)

  const assertUsable = () => {
    const listener = currentListener()
    if (listener !== undefined) throw catalogueNotReady(listener)
    if (signal.aborted) throw hostIsClosed()
  }
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    assertUsable()
    return await queue.run(work)
  }
  const switches = createSwitches({
    store,
    clock,
    catalogue: () => generations.current(),
    hasPlugin: (name) => [...roster.plugins(), ...roster.failures()].some((plugin) => plugin.name === name),
    assertUsable,
    reload: () => queue.run(() => generations.reloadSwitches()),
  })

  let found: readonly Finding[] = []
  const discover = async (): Promise<readonly ActivePlugin[]> => {
    if (options.pluginsFrom !== 'dependencies') return []
    const { findings, dismissed } = await roster.discover()
    found = findings
    return dismissed
  }
  const renew = async (plugins?: readonly ActivePlugin[]): Promise<void> => {
    const answers = await roster.dispatch(plugins)
    // Before the tools that they watch.
    const choice = chooseGuardrails(options.guardrails ?? {}, answers.guardrails)
    guardrails.use(choice)
    await generations.renew({ answers, findings: [...found, ...choice.findings] })
    reporter.heard(answers.listeners)
  }
  /** Stops plugins whose tools are gone; one with calls in flight is not waited for. */
  const retire = async (plugins: readonly ActivePlugin[]): Promise<void> => {
    for (const plugin of plugins) {
      reporter.forget(plugin.name)
      const isBusy = plugin.appIds.some(slots.isBusy)
      const drained = Promise.all(plugin.appIds.map(slots.idle)).then(() => {})
      const stopped = roster.retire(plugin, isBusy ? drained : undefined)
      if (!isBusy) await stopped
    }
  }
  const boot = async (): Promise<void> => {
    await roster.enlist(options.plugins ?? [])
    await discover()
    throwAborting(roster.failures())
    // Another process on the same store may flip a switch, or accept what a server offers.
    const watched = { settings: store.settings, clock, signal }
    watchSettings({ ...watched, prefix: switchPrefix }, () => queue.run(() => generations.reloadSwitches()))
    watchSettings({ ...watched, prefix: acceptedPrefix }, () => queue.run(() => generations.relistServers()))
    await renew()
    throwAborting(roster.failures())
  }
  const close = async (): Promise<void> => {
    closing.abort(hostIsClosed())
    await queue.idle()
    await lastCalls(slots.idle())
    await providers[Symbol.asyncDispose]()
    await roster.stop()
    // Only now: whoever leaves may still say goodbye over the network.
    await outbound[Symbol.asyncDispose]()
    await upkeep.end()
    if (options.store === undefined) await store[Symbol.asyncDispose]()
  }

  try {
    await queue.run(boot)
  } catch (error) {
    await close()
    throw error
  }
  let closed: Promise<void> | undefined
  let refreshing: Promise<Report> | undefined
  return {
    tools,
    features,
    switches,
    guardrails: { watches: guardrails.watches, check: guardrails.check },
    profiles,
    report: () => reporter.report(),
    on: listenToFacts(bus),
    plan: () =>
      change(async () => {
        const answers = await roster.rehearse()
        const choice = chooseGuardrails(options.guardrails ?? {}, answers.guardrails)
        const findings = [...found, ...choice.findings]
        const { catalogue, diff } = await generations.rehearse({ answers, findings })
        return { ...reporter.reportOn(catalogue, answers.listeners), ...diff }
      }),
    async refresh() {
      assertUsable()
      // Concurrent demands share one dispatch; a failed one is not remembered.
      refreshing ??= change(async () => {
        reporter.forget()
        const dismissed = await discover()
        await renew().finally(() => retire(dismissed))
        return reporter.report()
      }).finally(() => {
        refreshing = undefined
      })
      return await refreshing
    },
    add: (entry) =>
      change(async () => {
        const {
          active,
          failures: [failure],
        } = await roster.enlist([entry])
        if (failure !== undefined) {
          roster.forgive(failure)
          throw toError(failure)
        }
        await renew(active)
      }),
    async remove(name) {
      let dismissed: ActivePlugin | undefined
      const removed = change(async () => {
        dismissed = roster.dismiss(name)
        await renew([])
      })
      await removed.finally(() => retire(dismissed === undefined ? [] : [dismissed]))
    },
    [Symbol.asyncDispose]() {
      closed ??= close()
      return closed
    },
  }
}

/** Calls in flight have been told to stop, and end by the host's clock; a clock that stands still holds nobody up. */
async function lastCalls(ended: Promise<void>): Promise<void> {
  const over = new AbortController()
  await keepAlive(Promise.race([ended, systemClock.sleep(lastCallsMs, over.signal)]))
  over.abort()
}

function throwAborting(failures: readonly PluginFailure[]): void {
  const aborting = failures.find(({ onFailure }) => onFailure === 'abort')
  if (aborting !== undefined) throw toError(aborting)
}

function toError({ finding: { code, message, hint } }: PluginFailure): RollcallError {
  return new RollcallError(code === 'MIGRATION' ? 'PLUGIN_INVALID' : code, message, { hint })
}
