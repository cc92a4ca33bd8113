import { RollcallError, silentLogger, ToolsChanged } from '@rollcall/plugin'
import type { HostOptions } from './host-options.ts'
import type { Host } from './host-types.ts'
import { createMemoryStore } from './store/create-memory-store.ts'
import { watchSettings } from './store/watch-settings.ts'
import { systemClock } from './ports/system-clock.ts'
import { createWorkQueue } from './isolation/create-work-queue.ts'
// The rooms, in the order in which a tool passes them.
import { checkHostOptions } from './config/check-host-options.ts'
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
import { createProviderSlots } from './invoke/provider-slots.ts'
import { readDigestKey } from './invoke/read-digest-key.ts'
import { createToolRuntime } from './create-tool-runtime.ts'
import { createReporter } from './report/create-reporter.ts'
import { hostTools } from './report/host-tools.ts'
import { hostApi, version } from './version.ts'

/**
 * Puts the rooms together, in the order in which a tool passes them: plugins are set up and asked, claims are settled,
 * providers opened and listed, the catalogue built and switched; the gate, the runtime and the report stand on it.
 *
 * @throws {RollcallError} `CONFIG_INVALID` before anything has started; the code of a plugin marked `onFailure: 'abort'`.
 */
export async function assembleHost(options: HostOptions, rooms: { readonly legacy?: LegacyRoom }): Promise<Host> {
  checkHostOptions(options)
  const configured = configuredClaims(options.providers)
  const profiles = profilesOf(options.profiles)
  const { logger = silentLogger, clock = systemClock } = options
  const store = options.store ?? createMemoryStore({ clock })
  const closing = new AbortController()
  const { signal } = closing
  const queue = createWorkQueue()
  const bus = createBus(logger)
  const slots = createProviderSlots()

  const roster = createRoster({
    options,
    bus,
    clock,
    store,
    hostApi,
    legacy: rooms.legacy,
    signal,
    onLateFinding: (finding) => reporter.note(finding),
  })
  const providers = createOpenedProviders({
    connectMcp: options.connectMcp,
    legacy: rooms.legacy,
    settings: store.settings,
    logger,
    signal,
    idle: slots.idle,
    onChanged: (open) => void queue.coalesce(open, (changed) => generations.relist(changed)),
  })
  const isEmpty = () =>
    roster.plugins().length === 0 && roster.failures().length === 0 && configured.claims.length === 0
  const generations = createGenerations({
    store,
    clock,
    configured,
    providers,
    hostClaim: () => hostClaim(ownTools, version),
    onReplaced: (diff, generation) => {
      if (diff.added.length + diff.removed.length + diff.changed.length > 0)
        notify(bus, new ToolsChanged({ generation, ...diff }))
    },
  })
  const reporter = createReporter({ generations, logger })
  let discovered: Awaited<ReturnType<typeof roster.discover>> = []
  const input = (answers: Awaited<ReturnType<typeof roster.dispatch>>) => {
    reporter.heard(answers.listeners)
    return { answers, failures: roster.failures(), findings: discovered }
  }

  const { failures } = await roster.enlist(options.plugins ?? [])
  if (options.pluginsFrom === 'dependencies') discovered = await roster.discover()
  const aborting = failures.find(({ onFailure }) => onFailure === 'abort')
  if (aborting !== undefined) {
    await roster.stop()
    const { code, message, hint } = aborting.finding
    throw new RollcallError(code === 'MIGRATION' ? 'PLUGIN_INVALID' : code, message, { hint })
  }
  const ownTools = hostTools({ report: () => reporter.report(), isEmpty })
  await generations.renew(input(await roster.dispatch()))

  const tools = createToolRuntime({
    store,
    clock,
    logger,
    profiles,
    slots,
    signal,
    currentListener,
    catalogue: () => generations.current(),
    isGone: (name) => generations.isGone(name),
    digestKey: readDigestKey(store.settings),
    notify: (fact) => notify(bus, fact),
  })
  const switches = createSwitches({
    store,
    clock,
    catalogue: () => generations.current(),
    failures: () => roster.failures(),
    reload: () => queue.run(() => generations.reloadSwitches()),
  })
  // Another process on the same store may flip a switch, or accept what a server offers.
  const watched = { settings: store.settings, clock, signal }
  watchSettings({ ...watched, prefix: switchPrefix }, () => queue.run(() => generations.reloadSwitches()))
  watchSettings({ ...watched, prefix: acceptedPrefix }, () => queue.run(() => generations.relistServers()))

  const open = <T>(work: () => Promise<T>): Promise<T> => {
    const listener = currentListener()
    if (listener !== undefined) return Promise.reject(notReady(listener))
    return signal.aborted ? Promise.reject(closed()) : queue.run(work)
  }
  let refreshing: Promise<ReturnType<Host['report']>> | undefined
  return {
    tools,
    switches,
    profiles,
    report: () => reporter.report(),
    on: listenToFacts(bus),
    plan: () =>
      open(async () => {
        const { catalogue, diff } = await generations.rehearse({ ...input(await roster.rehearse()) })
        return { ...reporter.reportOn(catalogue), ...diff }
      }),
    refresh() {
      // A listener that waited for the dispatch that waits for it would wait for ever: `open` refuses it.
      if (refreshing !== undefined && currentListener() === undefined) return refreshing
      const dispatched = open(async () => {
        await generations.renew(input(await roster.dispatch()))
        return reporter.report()
      })
      // Concurrent demands share one dispatch; a failed one is not remembered.
      refreshing ??= dispatched
      const forget = () => {
        if (refreshing === dispatched) refreshing = undefined
      }
      dispatched.then(forget, forget)
      return dispatched
    },
    add: (entry) =>
      open(async () => {
        const {
          active,
          failures: [failure],
        } = await roster.enlist([entry])
        if (failure !== undefined) {
          roster.forgive(failure)
          const { code, message, hint } = failure.finding
          throw new RollcallError(code === 'MIGRATION' ? 'PLUGIN_INVALID' : code, message, { hint })
        }
        await generations.renew(input(await roster.dispatch(active)))
      }),
    remove: (name) =>
      open(async () => {
        await roster.dismiss(name)
        await generations.renew(input(await roster.dispatch([])))
      }),
    async [Symbol.asyncDispose]() {
      if (signal.aborted) return
      closing.abort(closed())
      await queue.idle()
      await providers[Symbol.asyncDispose]()
      await roster.stop()
      if (options.store === undefined) await store[Symbol.asyncDispose]()
    },
  }
}

function notReady(listener: string): RollcallError {
  return new RollcallError(
    'CATALOGUE_NOT_READY',
    `A listener of ${listener} asked for the catalogue that is being made from its answer.`,
    {
      hint: 'Ask when a tool of yours is called, or listen to ToolsChanged.',
    },
  )
}

function closed(): RollcallError {
  return new RollcallError('HOST_CLOSED', 'The host is closed.', { hint: 'Make a new host with createHost.' })
}
