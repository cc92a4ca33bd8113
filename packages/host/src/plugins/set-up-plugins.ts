import { type LegacyServices, type Logger, type Plugin, type PluginContext, RollcallError } from '@rollcall/plugin'
import type { Binding } from '../events/bind-plugin.ts'
import { keepAlive } from '../isolation/keep-alive.ts'
import { type Fault, runIsolated } from '../isolation/run-isolated.ts'
import { runTogether, type TogetherOptions, timeOutText } from '../isolation/run-together.ts'
import type { Clock } from '../ports/clock.ts'
import type { LoadedPlugin, PluginFailure } from './loaded-plugin.ts'
import { pluginFailure } from './plugin-failure.ts'
import { pluginLogger } from './plugin-logger.ts'

export interface SetUpOptions extends TogetherOptions {
  /** Gives a plugin its way to the bus. */
  bind(plugin: LoadedPlugin, options: { readonly signal: AbortSignal }): Binding
  /** Makes the container of one plugin, for what it registers the legacy way. */
  createContainer(): LegacyServices
  readonly logger: Logger
  /** The network as a plugin may reach it. */
  fetchFor(plugin: LoadedPlugin): PluginContext['fetch']
}

/** A plugin whose setup is done. */
export interface ActivePlugin extends LoadedPlugin {
  readonly container: LegacyServices
  /**
   * Ends its subscriptions, then aborts its signal and disposes of it within 5 s. Once; never rejects.
   *
   * @param drained when the calls of its tools have ended; nothing of it is aborted or disposed of before.
   */
  stop(drained?: Promise<void>): Promise<void>
}

/**
 * Runs all setups at the same time, each isolated and limited. A failing one costs its own plugin only: its signal is
 * aborted and its subscriptions are undone. Never rejects.
 */
export async function setUpPlugins(
  plugins: readonly LoadedPlugin[],
  options: SetUpOptions,
): Promise<{ readonly active: readonly ActivePlugin[]; readonly failures: readonly PluginFailure[] }> {
  const { bind, createContainer, logger, fetchFor, ...limits } = options
  const starting = plugins.map((plugin) => prepare(plugin, { bind, container: createContainer(), logger, fetchFor }))
  const results = await runTogether(starting, setUp, limits)

  const active: ActivePlugin[] = []
  const failures: PluginFailure[] = []
  for (const [index, result] of results.entries()) {
    const one = starting[index] as Starting
    const { plugin, container } = one
    if (result.ok) {
      active.push({ ...plugin, container, stop: stopOnce(one, logger, limits.clock) })
      continue
    }
    const error = setupFault(plugin, result.fault, limits)
    logger.warn('a setup failed', { plugin: plugin.name, code: error.code, durationMs: result.durationMs })
    failures.push(pluginFailure(plugin, error, { phase: 'setup', durationMs: result.durationMs }))
  }
  return { active, failures }
}

interface Starting {
  readonly plugin: LoadedPlugin
  readonly container: LegacyServices
  readonly context: PluginContext
  /** Ends the plugin's subscriptions. */
  undo(): void
  /** The same, and aborts its signal. */
  leave(): void
}

function prepare(
  plugin: LoadedPlugin,
  {
    bind,
    container,
    logger,
    fetchFor,
  }: Pick<SetUpOptions, 'bind' | 'logger' | 'fetchFor'> & { readonly container: LegacyServices },
): Starting {
  const controller = new AbortController()
  const { signal } = controller
  const { on, undo } = bind(plugin, { signal })
  const context = Object.freeze({
    options: plugin.options,
    logger: pluginLogger(logger, plugin.name),
    signal,
    on,
    fetch: fetchFor(plugin),
  })
  const leave = () => {
    controller.abort(new DOMException(`The plugin ${plugin.name} was stopped.`, 'AbortError'))
    undo()
  }
  return { plugin, container, context, undo, leave }
}

async function setUp({ plugin: { module }, container, context, leave }: Starting, signal: AbortSignal): Promise<void> {
  signal.addEventListener('abort', leave)
  try {
    if (module.kind === 'legacy') await module.plugin.register(container)
    // Its own schema has checked the options.
    else await module.plugin.setup(context as Parameters<Plugin['setup']>[0])
  } catch (error) {
    leave()
    throw error
  }
}

function setupFault({ name, from, module }: LoadedPlugin, fault: Fault, limits: TogetherOptions): RollcallError {
  const step = module.kind === 'legacy' ? 'register' : 'setup'
  if (fault.kind === 'timedOut')
    return new RollcallError('PLUGIN_TIMEOUT', `${name}: its ${step} ${timeOutText(fault, limits, 'setups')}.`, {
      hint: 'Do slow work when a tool is called, or raise "pluginTimeoutMs".',
    })
  return new RollcallError('PLUGIN_SETUP_FAILED', `${name}: its ${step} failed: ${fault.message}`, {
    hint: `The fault lies in the ${step} of ${from}; the causes tell more.`,
    cause: fault.error,
  })
}

const disposeLimitMs = 5_000

function stopOnce(
  { plugin: { name, module }, undo, leave }: Starting,
  logger: Logger,
  clock: Clock,
): ActivePlugin['stop'] {
  let stopped: Promise<void> | undefined
  const stop = async (drained?: Promise<void>) => {
    undo()
    if (drained !== undefined) await drained
    leave()
    if (module.kind === 'legacy' || module.plugin.dispose === undefined) return
    const { plugin } = module
    const disposed = await keepAlive(runIsolated(() => plugin.dispose?.(), { limitMs: disposeLimitMs, clock }))
    if (disposed.ok) return
    const { message, causes } = disposed.fault
    logger.warn('a dispose failed', { plugin: name, message, causes })
  }
  return (drained) => {
    stopped ??= stop(drained)
    return stopped
  }
}
