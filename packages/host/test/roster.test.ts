import { definePlugin, isRollcallError, RegisterToolProvidersEvent, ToolsChanged } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { createHost } from '../src/create-host.ts'
import { localUser } from '../src/gate/local-user.ts'
import { createPluginHome, manifest, pluginSource } from './fixtures/plugins/plugin-home.ts'
import { pluginWith, readingTool } from './plugins-in-code.ts'

const names = (host: Awaited<ReturnType<typeof createHost>>) =>
  host.tools.all().flatMap(({ name, source }) => (source === 'host' ? [] : [name]))
const asLocal = { principal: localUser }

describe('plugins that come and go', () => {
  it('R-DISC-22 an added plugin hears the event alone, and consumers are told', async () => {
    let asked = 0
    const first = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, () => {
          asked++
        }),
    })
    await using host = await createHost({ plugins: [{ appId: 'first', plugin: first }] })
    const facts: ToolsChanged[] = []
    host.on(ToolsChanged, (fact) => {
      facts.push(fact)
    })
    await host.add(pluginWith('late', readingTool('hi')))
    expect(asked).toBe(1)
    expect(host.report().generation).toBe(2)
    expect(facts).toEqual([expect.objectContaining({ generation: 2, added: ['late__hi'] })])
  })

  it('R-DISC-23 a removed plugin takes its tools away; calls in flight finish, later ones are TOOL_GONE', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const slow = readingTool('slow', { execute: () => promise })
    await using host = await createHost({ plugins: [pluginWith('leaving', slow)] })
    const inFlight = host.tools.call('leaving__slow', {}, asLocal)
    await host.remove('leaving')
    expect(names(host)).toEqual([])
    resolve('finished')
    expect(await inFlight).toMatchObject({ status: 'ok', text: 'finished' })
    expect(await host.tools.call('leaving__slow', {}, asLocal)).toMatchObject({ status: 'denied', code: 'TOOL_GONE' })
    expect(await host.tools.call('leaving__never', {}, asLocal)).toMatchObject({
      status: 'denied',
      code: 'TOOL_NOT_FOUND',
    })
  })

  it('a plugin that can not be added changes nothing and says why', async () => {
    await using host = await createHost({ plugins: [pluginWith('one', readingTool('hi'))] })
    const refused = await host.add({ appId: 'two', plugin: {} as never }).catch((error: unknown) => error)
    expect(isRollcallError(refused)).toBe(true)
    expect(host.report().generation).toBe(1)
    const unknown = await host.remove('three').catch((error: unknown) => error)
    expect(isRollcallError(unknown, 'PLUGIN_NOT_FOUND')).toBe(true)
  })

  it('a second plugin of an appId that is there is refused, and the first keeps its tools', async () => {
    await using host = await createHost({ plugins: [pluginWith('one', readingTool('hi'))] })
    const refused = await host.add(pluginWith('one', readingTool('other'))).catch((error: unknown) => error)
    expect(isRollcallError(refused, 'PLUGIN_DUPLICATE')).toBe(true)
    await host.refresh()
    expect(names(host)).toEqual(['one__hi'])
  })

  it('a plugin marked abort ends the boot with its own code', async () => {
    const broken = definePlugin({
      setup() {
        throw new TypeError('no database')
      },
    })
    const aborted = await createHost({ plugins: [{ appId: 'db', plugin: broken, onFailure: 'abort' }] }).catch(
      (error: unknown) => error,
    )
    expect(isRollcallError(aborted, 'PLUGIN_SETUP_FAILED')).toBe(true)
  })

  it('R-DISC-23 a removed plugin is disposed of only after its calls in flight', async () => {
    const log: string[] = []
    const { promise, resolve } = Promise.withResolvers<string>()
    const slow = readingTool('slow', { execute: () => promise })
    const plugin = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [slow] })),
      dispose: () => void log.push('disposed'),
    })
    await using host = await createHost({ plugins: [{ appId: 'leaving', plugin }] })
    const inFlight = host.tools.call('leaving__slow', {}, asLocal).then(({ text }) => log.push(text))
    await host.remove('leaving')
    await host.add(pluginWith('leaving', readingTool('other')))
    expect(log).toEqual([])
    resolve('finished')
    await inFlight
    await expect.poll(() => log).toEqual(['finished', 'disposed'])
    expect(names(host)).toEqual(['leaving__other'])
  })

  it('the tool that tells how to add plugins goes with the first plugin', async () => {
    await using host = await createHost()
    await host.add(pluginWith('one', readingTool('hi')))
    expect(host.tools.all().map(({ name }) => name)).not.toContain('rollcall__setup')
  })

  it('R-SEC-18 an accepted dependency is there after a refresh, and gone after one when it is accepted no longer', async () => {
    await using home = await createPluginHome()
    const announce = `on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [
      { name: 'hi', description: 'Hi.', effect: 'read', dataClass: 'publicContent', execute: () => 'hi' }] }))`
    await home.put('node_modules/plug', manifest('plug', { appId: 'plug' }, { keywords: ['rollcall-plugin'] }), {
      'index.js': pluginSource(announce),
    })
    await home.put('.', { name: 'app', dependencies: { plug: '*' } })
    await using host = await createHost({ cwd: home.folder, pluginsFrom: 'dependencies' })
    const states = () => host.report().providers.flatMap(({ plugin, state }) => (plugin === 'plug' ? [state] : []))
    expect(states()).toEqual(['held'])
    await host.switches.enable({ kind: 'plugin', name: 'plug' }, 'jo')
    await host.refresh()
    expect(states()).toEqual(['active'])
    expect(await host.tools.call('plug__hi', {}, asLocal)).toMatchObject({ status: 'ok' })
    await host.refresh()
    expect(states()).toEqual(['active'])
    await host.switches.disable({ kind: 'plugin', name: 'plug' }, 'jo')
    await host.refresh()
    expect(states()).toEqual(['held'])
    expect(names(host)).toEqual([])
  })
})
