import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, isRollcallError, RegisterToolProvidersEvent, ToolsChanged } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { root } from '../../../test/list-files.ts'
import { createHost } from '../src/create-host.ts'
import { localUser } from '../src/gate/local-user.ts'
import { createManualClock } from '../src/testing/manual-clock.ts'
import { announcing, pluginWith, readingTool } from './plugins-in-code.ts'

const names = (host: Awaited<ReturnType<typeof createHost>>) =>
  host.tools.all().flatMap(({ name, source }) => (source === 'host' ? [] : [name]))
const asLocal = { principal: localUser }

describe('the roll', () => {
  it('R-DISC-01 a plugin that announces has its tools in the catalogue, source announced', async () => {
    await using host = await createHost({ plugins: [pluginWith('weather', readingTool('forecast'))] })
    expect(host.tools.all().find(({ name }) => name === 'weather__forecast')).toMatchObject({
      source: 'announced',
      appId: 'weather',
      original: 'forecast',
    })
    expect(await host.tools.call('weather__forecast', { text: 'Oslo' }, asLocal)).toMatchObject({
      status: 'ok',
      text: 'forecast: Oslo',
    })
  })

  it('an empty host has its own tools and tells how to add others', async () => {
    await using host = await createHost()
    expect(host.tools.all().map(({ name }) => name)).toEqual(['rollcall__status', 'rollcall__setup'])
    expect(await host.tools.call('rollcall__status', {}, asLocal)).toMatchObject({
      status: 'ok',
      structured: { generation: 1 },
    })
  })

  it('R-DISC-07 R-DISC-08 a list that throws, is null, no array or never comes costs its own provider only', async () => {
    const clock = createManualClock()
    const hanging = {
      appId: 'hanging',
      plugin: announcing({ kind: 'builtin', tools: () => new Promise<never>(() => {}) }),
    }
    const booting = createHost({
      clock,
      plugins: [
        {
          appId: 'throwing',
          plugin: announcing({
            kind: 'builtin',
            tools: () => {
              throw new TypeError('no list today')
            },
          }),
        },
        { appId: 'nothing', plugin: announcing({ kind: 'builtin', tools: (() => null) as never }) },
        { appId: 'text', plugin: announcing({ kind: 'builtin', tools: (() => 'tools') as never }) },
        hanging,
        pluginWith('good', readingTool('hi')),
      ],
    })
    let booted = false
    void booting.then(() => {
      booted = true
    })
    for (let step = 0; step < 60 && !booted; step++) await clock.advance(1_000)
    await using host = await booting
    expect(names(host)).toEqual(['good__hi'])
    const failed = host.report().providers.filter(({ state }) => state === 'failed')
    expect(failed.map(({ appId, code }) => [appId, code])).toEqual(
      ['throwing', 'nothing', 'text', 'hanging'].map((appId) => [appId, 'PROVIDER_LIST_FAILED']),
    )
    expect(await host.tools.call('good__hi', {}, asLocal)).toMatchObject({ status: 'ok' })
  })

  it('R-DISC-09 a tool that throws a non-error fails and nothing crashes', async () => {
    const thrower = readingTool('boom', {
      execute: () => {
        throw null
      },
    })
    await using host = await createHost({ plugins: [pluginWith('odd', thrower)] })
    const outcome = await host.tools.call('odd__boom', {}, asLocal)
    expect(outcome).toMatchObject({ status: 'failed', code: 'TOOL_FAILED' })
    expect(outcome.text).toMatch(/null/)
  })

  it('R-DISC-15 a title that equals the name of another tool misleads nobody', async () => {
    await using host = await createHost({
      plugins: [
        pluginWith('a', readingTool('send', { title: 'b__send' })),
        pluginWith('b', readingTool('send', { title: 'a__send', execute: () => 'from b' })),
      ],
    })
    expect(await host.tools.call('a__send', { text: 'x' }, asLocal)).toMatchObject({ text: 'send: x' })
    expect(await host.tools.call('b__send', {}, asLocal)).toMatchObject({ text: 'from b' })
  })

  it('R-DISC-24 five hundred plugins, one of which hangs, boot within the limits', async () => {
    const many = Array.from({ length: 499 }, (_, index) => pluginWith(`p${index}`, readingTool('hi')))
    const hanging = definePlugin({
      setup: ({ on }) => void on(RegisterToolProvidersEvent, () => new Promise(() => {})),
    })
    const began = performance.now()
    await using host = await createHost({
      plugins: [{ appId: 'hanging', plugin: hanging }, ...many],
      pluginTimeoutMs: 200,
    })
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(names(host)).toHaveLength(499)
    expect(host.report().providers.find(({ appId }) => appId === 'hanging')).toMatchObject({
      state: 'failed',
      code: 'LISTENER_TIMEOUT',
    })
  })
})

describe('demands for the catalogue', () => {
  it('R-DISC-16 a hundred demands at once cause one dispatch', async () => {
    let asked = 0
    const plugin = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, () => {
          asked++
        }),
    })
    await using host = await createHost({ plugins: [{ appId: 'counting', plugin }] })
    expect(asked).toBe(1)
    await Promise.all(Array.from({ length: 100 }, () => host.refresh()))
    expect(asked).toBe(2)
  })

  it('R-DISC-17 a demand inside a listener is refused, attributed, and no deadlock', async () => {
    let host: Awaited<ReturnType<typeof createHost>> | undefined
    const seen: unknown[] = []
    const curious = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, async () => {
          if (host === undefined) return
          seen.push(await host.refresh().catch((error: unknown) => error))
          seen.push(await host.tools.call('rollcall__status', {}, asLocal))
          host.tools.list(asLocal)
        }),
    })
    host = await createHost({ plugins: [{ appId: 'curious', plugin: curious }] })
    const report = await host.refresh()
    expect(isRollcallError(seen[0], 'CATALOGUE_NOT_READY')).toBe(true)
    expect((seen[0] as Error).message).toContain('curious')
    expect(seen[1]).toMatchObject({ status: 'failed', code: 'CATALOGUE_NOT_READY' })
    expect(report.findings).toContainEqual(
      expect.objectContaining({ code: 'LISTENER_FAILED', about: expect.objectContaining({ plugin: 'curious' }) }),
    )
    await host[Symbol.asyncDispose]()
  })

  it('R-DISC-25 a dry run reports what would change and changes nothing', async () => {
    let extra = false
    const plugin = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, (event) => {
          event.announce({ kind: 'builtin', tools: [readingTool('hi'), ...(extra ? [readingTool('more')] : [])] })
        }),
    })
    const connected: string[] = []
    await using host = await createHost({
      plugins: [{ appId: 'p', plugin }],
      connectMcp: async (claim) => {
        connected.push(claim.appId)
        throw new TypeError('must not be reached by a dry run')
      },
    })
    extra = true
    const plan = await host.plan()
    expect(plan).toMatchObject({ added: ['p__more'], removed: [], changed: [] })
    expect(host.report().generation).toBe(1)
    expect(names(host)).toEqual(['p__hi'])
    expect(connected).toEqual([])
  })
})

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

  it('a closed host starts nothing', async () => {
    const host = await createHost()
    await host[Symbol.asyncDispose]()
    const late = await host.refresh().catch((error: unknown) => error)
    expect(isRollcallError(late, 'HOST_CLOSED')).toBe(true)
  })
})

it('R-DISC-28 the host builds and runs from sources without the legacy folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-without-legacy-'))
  try {
    await cp(join(root, 'packages/host/src'), join(folder, 'src'), {
      recursive: true,
      filter: (path) => !path.includes('discovery/legacy/') && !path.endsWith('discovery/legacy'),
    })
    await cp(join(root, 'packages/host/package.json'), join(folder, 'package.json'))
    await symlink(join(root, 'packages/host/node_modules'), join(folder, 'node_modules'))
    const entry = join(folder, 'src/create-host.ts')
    const without = (await readFile(entry, 'utf8'))
      .replace(/^import .*legacy.*$/m, '')
      .replace('{ legacy: legacyRoom }', '{}')
    await writeFile(entry, without)
    const bare: { createHost: typeof createHost } = await import(entry)
    await using host = await bare.createHost({ plugins: [pluginWith('weather', readingTool('forecast'))] })
    expect(names(host)).toEqual(['weather__forecast'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
