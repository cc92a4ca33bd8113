import {
  definePlugin,
  type EventClass,
  type PluginContext,
  RegisterToolProvidersEvent,
  silentLogger,
  ToolsChanged,
} from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { bindPlugin } from '../../src/events/bind-plugin.ts'
import { createBus } from '../../src/events/create-bus.ts'
import type { LoadedPlugin } from '../../src/plugins/loaded-plugin.ts'
import { setUpPlugins } from '../../src/plugins/set-up-plugins.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { makeLoaded } from './make-loaded.ts'
import { createRecordingLogger } from './recording-logger.ts'

function createContainer() {
  const values = new Map<string, unknown>()
  return {
    register: (alias: string, value: unknown) => void values.set(alias, value),
    has: (alias: string) => values.has(alias),
    get: (alias: string) => values.get(alias),
  }
}

const setUp = (
  plugins: readonly LoadedPlugin[],
  { bus = createBus(), clock = systemClock, logger = silentLogger } = {},
) =>
  setUpPlugins(plugins, {
    bind: (plugin, options) => bindPlugin(bus, plugin, options),
    createContainer,
    logger,
    fetchFor:
      ({ name }) =>
      () =>
        Promise.reject(new TypeError(`no network for ${name}`)),
    limitMs: 5_000,
    totalMs: 15_000,
    clock,
  })
const nothing = () => {}

describe('setUpPlugins', () => {
  it('gives a setup its options, a logger of its name, a signal, a fetch and a way to listen, and nothing else', async () => {
    const logger = createRecordingLogger()
    let seen: PluginContext | undefined
    const setup = (context: PluginContext) => {
      seen = context
      context.logger.info('ready', { plugin: 'somebody else', count: 1 })
    }
    const { active, failures } = await setUp([makeLoaded('weather', 0, setup, { options: { city: 'Oslo' } })], {
      logger,
    })
    expect(failures).toEqual([])
    expect(active).toMatchObject([{ name: 'weather', options: { city: 'Oslo' } }])
    expect(Object.keys(seen ?? {}).toSorted()).toEqual(['fetch', 'logger', 'on', 'options', 'signal'])
    expect(Object.isFrozen(seen)).toBe(true)
    expect(seen?.options).toEqual({ city: 'Oslo' })
    expect(seen?.signal.aborted).toBe(false)
    await expect(seen?.fetch('http://127.0.0.1/')).rejects.toThrow('no network for weather')
    expect(logger.lines).toEqual([['info', 'ready', { plugin: 'weather', count: 1 }]])
  })

  it('starts all setups before any has finished', async () => {
    const started: string[] = []
    const release = Promise.withResolvers<void>()
    const waiting = (name: string, order: number) =>
      makeLoaded(name, order, () => {
        started.push(name)
        if (started.length === 3) release.resolve()
        return release.promise
      })
    const { active } = await setUp([waiting('a', 0), waiting('b', 1), waiting('c', 2)])
    expect(active.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it('costs the plugin whose setup throws, and undoes what it had subscribed', async () => {
    const bus = createBus()
    let signal: AbortSignal | undefined
    const half = makeLoaded('half', 0, (context) => {
      signal = context.signal
      context.on(RegisterToolProvidersEvent, nothing)
      throw new TypeError('boom in setup')
    })
    const { active, failures } = await setUp(
      [
        half,
        makeLoaded('null', 1, () => Promise.reject(null), { onFailure: 'abort' }),
        makeLoaded('good', 2, ({ on }) => void on(RegisterToolProvidersEvent, nothing)),
      ],
      { bus },
    )
    expect(active.map(({ name }) => name)).toEqual(['good'])
    expect(failures).toMatchObject([
      {
        name: 'half',
        state: 'failed',
        onFailure: 'report',
        finding: { code: 'PLUGIN_SETUP_FAILED', phase: 'setup', message: 'half: its setup failed: boom in setup' },
      },
      { name: 'null', state: 'failed', onFailure: 'abort', finding: { message: 'null: its setup failed: threw null' } },
    ])
    expect(bus.listeners(RegisterToolProvidersEvent).map(({ plugin }) => plugin)).toEqual(['good'])
    expect(signal?.aborted).toBe(true)
  })

  it('stops waiting for a setup at its limit, at once for the others, and refuses what it does later', async () => {
    const clock = createManualClock()
    const bus = createBus()
    const later = Promise.withResolvers<void>()
    let refused: unknown
    const hanging = makeLoaded('hanging', 0, async ({ on }) => {
      on(ToolsChanged, nothing)
      await later.promise
      try {
        on(RegisterToolProvidersEvent, nothing)
      } catch (error) {
        refused = error
      }
    })
    const setting = setUp([hanging, makeLoaded('good', 1)], { bus, clock })
    await clock.advance(5_000)
    const { active, failures } = await setting
    expect(active.map(({ name }) => name)).toEqual(['good'])
    expect(failures).toMatchObject([
      {
        name: 'hanging',
        durationMs: 5_000,
        finding: { code: 'PLUGIN_TIMEOUT', message: "hanging: its setup didn't finish within 5 s." },
      },
    ])
    later.resolve()
    await expect.poll(() => refused).toMatchObject({ code: 'REGISTRATION_CLOSED' })
    expect([...bus.listeners(ToolsChanged), ...bus.listeners(RegisterToolProvidersEvent)]).toEqual([])
  })

  it('refuses to listen to something that is no event, so the setup fails', async () => {
    const { failures } = await setUp([
      makeLoaded('deaf', 0, ({ on }) => void on({ type: 'toolsChangd' } as EventClass<unknown>, nothing)),
    ])
    expect(failures).toMatchObject([
      { finding: { code: 'PLUGIN_SETUP_FAILED', causes: [expect.stringContaining('no event of this host')] } },
    ])
  })

  it('lets a legacy plugin register in a container of its own', async () => {
    const legacy = (name: string, order: number) =>
      makeLoaded(name, order, { register: (services) => services.register(`ToolProvider::${name}`, name) })
    const broken = makeLoaded('broken', 2, { register: () => Promise.reject(new Error('no database')) })
    const { active, failures } = await setUp([legacy('a', 0), legacy('b', 1), broken])
    expect(active.map(({ container }) => [container.has('ToolProvider::a'), container.has('ToolProvider::b')])).toEqual(
      [
        [true, false],
        [false, true],
      ],
    )
    expect(failures).toMatchObject([{ finding: { message: 'broken: its register failed: no database' } }])
  })
})

describe('stopping a plugin', () => {
  it('aborts its signal, ends its subscriptions and disposes of it, once', async () => {
    const bus = createBus()
    const steps: string[] = []
    const plugin = definePlugin({
      setup({ on, signal }) {
        on(ToolsChanged, nothing)
        signal.addEventListener('abort', () => steps.push('aborted'))
      },
      dispose: () => void steps.push('disposed'),
    })
    const { active } = await setUp([makeLoaded('weather', 0, plugin)], { bus })
    await Promise.all(active.flatMap((one) => [one.stop(), one.stop()]))
    expect(steps).toEqual(['aborted', 'disposed'])
    expect(bus.listeners(ToolsChanged)).toEqual([])
  })

  it('does not reject when dispose throws, and waits 5 s for one that hangs', async () => {
    const clock = createManualClock()
    const logger = createRecordingLogger()
    const throwing = definePlugin({ setup() {}, dispose: () => Promise.reject(new Error('stuck')) })
    const hanging = definePlugin({ setup() {}, dispose: () => new Promise<void>(() => {}) })
    const { active } = await setUp([makeLoaded('throwing', 0, throwing), makeLoaded('hanging', 1, hanging)], {
      clock,
      logger,
    })
    const stopping = Promise.all(active.map((plugin) => plugin.stop()))
    await clock.advance(5_000)
    await stopping
    expect(logger.lines).toMatchObject([
      ['warn', 'a dispose failed', { plugin: 'throwing', message: 'stuck' }],
      ['warn', 'a dispose failed', { plugin: 'hanging' }],
    ])
  })
})
