import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, isRollcallError, RegisterToolProvidersEvent, RollcallError } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { root } from '../../../test/list-files.ts'
import { createHost } from '../src/create-host.ts'
import { localUser } from '../src/gate/local-user.ts'
import { createMemoryStore } from '../src/store/create-memory-store.ts'
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

describe('a dry run', () => {
  it('R-DISC-25 leaves no listener, no late announcement and no failure in the report', async () => {
    let rehearsed = false
    const plugin = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, (event) => {
          if (!rehearsed) return event.announce({ kind: 'builtin', tools: [readingTool('hi')] })
          queueMicrotask(() => queueMicrotask(() => setImmediate(() => announceLate(event))))
          throw new TypeError('not today')
        }),
    })
    const announceLate = (event: RegisterToolProvidersEvent) => {
      try {
        event.announce({ kind: 'builtin', tools: [] })
      } catch {}
    }
    await using host = await createHost({ plugins: [{ appId: 'p', plugin }] })
    const before = host.report()
    rehearsed = true
    const plan = await host.plan()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(plan.removed).toEqual(['p__hi'])
    expect(plan.listeners).toMatchObject([{ plugin: 'p', outcome: 'threw' }])
    expect(plan.providers).toContainEqual(expect.objectContaining({ appId: 'p', code: 'LISTENER_FAILED' }))
    expect(host.report()).toEqual(before)
  })

  it('R-DISC-25 does not list a connected server again: that might start it', async () => {
    let lists = 0
    await using host = await createHost({
      providers: { remote: { server: { command: 'node' } } },
      connectMcp: async () => ({
        async list() {
          lists++
          return { tools: [], holds: [], findings: [], detail: '' }
        },
        call: () => Promise.reject(new TypeError('not called')),
        async [Symbol.asyncDispose]() {},
      }),
    })
    expect(lists).toBe(1)
    expect(await host.plan()).toMatchObject({ added: [], removed: [], changed: [] })
    expect(lists).toBe(1)
  })
})

describe('a host that closes', () => {
  const failing = definePlugin({
    setup() {
      throw new TypeError('no database')
    },
  })

  it('starts nothing any more, and every call, wait and decision says so', async () => {
    const store = createMemoryStore()
    const host = await createHost({ store, plugins: [pluginWith('app', readingTool('hi'))] })
    await host[Symbol.asyncDispose]()
    const closed = { code: 'HOST_CLOSED' }
    const ref = { stream: 'call/x', callId: 'x' } as const
    expect(await host.tools.call('app__hi', {}, asLocal)).toMatchObject(closed)
    expect(await host.tools.resume(ref, asLocal)).toMatchObject(closed)
    expect(await host.tools.wait(ref, { ...asLocal, timeoutMs: 60_000 })).toMatchObject(closed)
    const answer = { kind: 'approval', approved: true, binds: 'sha256:0' } as const
    expect(await host.tools.answer(ref, answer, localUser)).toMatchObject(closed)
    for (const refused of [
      host.tools.pending(localUser),
      host.refresh(),
      host.plan(),
      host.add(pluginWith('b')),
      host.remove('app'),
      host.switches.disable({ kind: 'tool', name: 'app__hi' }, 'jo'),
    ])
      await expect(refused).rejects.toMatchObject(closed)
    expect(await store.settings.list('switch/')).toEqual([])
  })

  it('waits for its calls in flight, which end as cancelled or unknown in the record', async () => {
    const store = createMemoryStore()
    const hanging = { execute: () => new Promise<never>(() => {}) }
    const host = await createHost({ store, plugins: [pluginWith('app', readingTool('hangs', hanging))] })
    const outcome = host.tools.call('app__hangs', {}, asLocal)
    await new Promise((resolve) => setImmediate(resolve))
    await host[Symbol.asyncDispose]()
    const { status, callId } = await outcome
    expect(status).toBe('cancelled')
    expect(await store.head(`call/${callId}`)).toMatchObject({ status: 'cancelled' })
  })

  it('closes once for all who ask, and none of them sooner than it is done', async () => {
    let disposed = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const plugin = definePlugin({
      setup() {},
      async dispose() {
        disposed++
        await promise
      },
    })
    const host = await createHost({ plugins: [{ appId: 'p', plugin }] })
    let isDone = false
    const first = host[Symbol.asyncDispose]()
    const second = host[Symbol.asyncDispose]().then(() => {
      isDone = true
    })
    await new Promise((settled) => setImmediate(settled))
    expect(isDone).toBe(false)
    resolve()
    await Promise.all([first, second])
    expect(disposed).toBe(1)
  })

  it('is closed by a clock that stands still, also with a call that hangs', async () => {
    const hanging = { execute: () => new Promise<never>(() => {}) }
    const host = await createHost({
      clock: createManualClock(),
      plugins: [pluginWith('app', readingTool('hangs', hanging))],
    })
    void host.tools.call('app__hangs', {}, asLocal)
    await new Promise((resolve) => setImmediate(resolve))
    const began = performance.now()
    await host[Symbol.asyncDispose]()
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it.each([
    ['a plugin marked abort whose setup fails', failing, undefined, 'PLUGIN_SETUP_FAILED'],
    [
      'a plugin marked abort whose listener fails',
      definePlugin({
        setup: ({ on }) =>
          void on(RegisterToolProvidersEvent, () => {
            throw new TypeError('no list')
          }),
      }),
      undefined,
      'LISTENER_FAILED',
    ],
    ['a store that can not be read', definePlugin({ setup() {} }), 'list', 'STORE_UNAVAILABLE'],
  ] as const)('%s ends the boot, and leaves nothing open', async (_what, plugin, broken, code) => {
    const log: string[] = []
    const other = definePlugin({
      setup: ({ signal }) => signal.addEventListener('abort', () => log.push('stopped')),
      dispose: () => void log.push('disposed'),
    })
    const inner = createMemoryStore()
    const fault = () => Promise.reject(new RollcallError('STORE_UNAVAILABLE', 'No disk.', { hint: 'Find it.' }))
    const store = broken === undefined ? inner : { ...inner, settings: { ...inner.settings, list: fault } }
    const booted = createHost({
      store,
      plugins: [
        { appId: 'other', plugin: other },
        { appId: 'aborts', plugin, onFailure: 'abort' },
      ],
    })
    await expect(booted).rejects.toMatchObject({ code })
    expect(log).toEqual(['stopped', 'disposed'])
  })

  it('a switch inside a listener is refused at once, and changes nothing', async () => {
    let host: Awaited<ReturnType<typeof createHost>> | undefined
    let seen: unknown
    const store = createMemoryStore()
    const curious = definePlugin({
      setup: ({ on }) =>
        void on(RegisterToolProvidersEvent, async () => {
          seen = await host?.switches
            .disable({ kind: 'tool', name: 'rollcall__status' }, 'me')
            .catch((error: unknown) => error)
        }),
    })
    host = await createHost({ store, plugins: [{ appId: 'curious', plugin: curious }] })
    await host.refresh()
    expect(isRollcallError(seen, 'CATALOGUE_NOT_READY')).toBe(true)
    expect(await store.settings.list('switch/')).toEqual([])
    await host[Symbol.asyncDispose]()
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
