import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScan } from '../../../src/discovery/legacy/scan.ts'
import { createScanCache } from '../../../src/discovery/legacy/scan-cache.ts'
import type { LegacyScanOptions } from '../../../src/host-options.ts'
import { createManualClock, type ManualClock } from '../../../src/testing/index.ts'
import { makePackages, makePlugin, moduleOf, type PluginWithContainer, providerOf } from './make-plugin.ts'

let packages: Awaited<ReturnType<typeof makePackages>>
let clock: ManualClock

beforeEach(async () => {
  packages = await makePackages()
  clock = createManualClock(1_000_000)
})

afterEach(() => packages.remove())

const silent: LegacyScanOptions = { mode: 'on' }

function scanner(options: LegacyScanOptions = silent) {
  const scan = createScan(options)
  return (plugins: readonly PluginWithContainer[], announced: readonly string[] = []) =>
    scan.scan({ plugins, announced: new Set(announced), clock, limitMs: 5_000 })
}

const withAlias = (name: string, parts: Partial<PluginWithContainer['plugin']> = {}) =>
  makePlugin({ name, ...parts }, (services) => services.register(`ToolProvider::${name}`, () => providerOf(name)))

describe('the candidates of the scan', () => {
  it('R-DISC-18 an alias that is missing is silent and counted', async () => {
    const folder = await packages.write('notes', {})
    const result = await scanner({ mode: 'warn' })([makePlugin({ name: 'notes', folder })])
    expect(result).toEqual({ claims: [], findings: [], superseded: [], probes: 3, misses: 3 })
  })

  it('finds a provider by its container alias', async () => {
    const { claims, findings } = await scanner()([withAlias('notes', { order: 4 })])
    expect(claims).toMatchObject([
      {
        appId: 'notes',
        plugin: 'notes',
        version: '1.0.0',
        source: 'legacy',
        order: 4,
        from: './plugins/notes (container alias)',
        provider: { kind: 'legacy' },
      },
    ])
    expect(findings).toEqual([])
  })

  it('finds an alias in the container of the host', async () => {
    const host = { has: (alias: string) => alias === 'ToolProvider::notes', get: () => providerOf('notes') }
    const { claims } = await scanner()([makePlugin({ name: 'notes' }, () => {}, host)])
    expect(claims).toMatchObject([{ appId: 'notes' }])
  })

  it.each<[string, unknown]>([
    ['a number', 7],
    ['null', null],
    ['an array', []],
    ['an object without getTools()', { getAppId: () => 'notes', invokeTool() {} }],
    ['a promise of a text', Promise.resolve('text')],
    ['the provider of another appId', providerOf('other')],
  ])('R-DISC-18 an alias of the wrong type is a warning and the next candidate is tried: %s', async (_, value) => {
    const folder = await packages.write('notes', { type: 'module' }, { 'tool-provider.js': moduleOf('notes') })
    const plugin = makePlugin({ name: 'notes', folder }, (services) => services.register('ToolProvider::notes', value))
    const { claims, findings } = await scanner()([plugin])
    expect(claims).toMatchObject([{ from: './plugins/notes (module tool-provider, tool-provider.js)' }])
    expect(findings).toMatchObject([
      { code: 'LEGACY_CANDIDATE_INVALID', severity: 'warn', phase: 'scan', about: { plugin: 'notes', appId: 'notes' } },
    ])
    expect(findings[0]?.message).toContain('container alias')
  })

  it("R-DISC-18 a factory that throws is a warning with the plugin's own line, and the next candidate is tried", async () => {
    const folder = await packages.write(
      'notes',
      { type: 'module' },
      {
        'tool-provider.js': `export default function create() {\n  throw new TypeError('no database', { cause: 'no disk' })\n}\n`,
        'old.js': moduleOf('notes'),
      },
    )
    const plugin = makePlugin({ name: 'notes', folder, toolProvider: join(folder, 'old.js') }, (services) =>
      services.register('ToolProvider::notes', () => {
        throw null
      }),
    )
    const { claims, findings } = await scanner()([plugin])
    expect(claims).toMatchObject([{ from: './plugins/notes (manifest entry toolProvider, old.js)' }])
    expect(findings.map(({ code }) => code)).toEqual(['LEGACY_CANDIDATE_INVALID', 'LEGACY_CANDIDATE_INVALID'])
    expect(findings[0]?.message).toBe('notes: the container alias of ./plugins/notes is no use: it threw: threw null.')
    expect(findings[1]?.message).toContain('no database')
    expect(findings[1]?.causes).toEqual(['no disk', expect.stringMatching(/^at create \(tool-provider\.js:2:\d+\)$/)])
    expect(JSON.stringify(findings)).not.toContain(packages.root)
  })

  it('a factory that never settles costs its own time only', async () => {
    const hanging = makePlugin({ name: 'slow' }, (services) =>
      services.register('ToolProvider::slow', () => new Promise(() => {})),
    )
    const scanning = scanner()([hanging, withAlias('notes')])
    await clock.advance(5_000)
    const { claims, findings } = await scanning
    expect(claims.map(({ appId }) => appId)).toEqual(['notes'])
    expect(findings).toMatchObject([{ code: 'LEGACY_CANDIDATE_INVALID', about: { appId: 'slow' } }])
    expect(findings[0]?.message).toContain('5,000 ms')
  })

  it.each(['js', 'mjs', 'cjs', 'ts'])(
    'R-DISC-18 found by candidate 2: tool-provider.%s of a package without exports',
    async (extension) => {
      const text =
        extension === 'cjs' ? moduleOf('notes').replace('export default', 'module.exports =') : moduleOf('notes')
      const folder = await packages.write('notes', { type: 'module' }, { [`tool-provider.${extension}`]: text })
      const { claims, findings } = await scanner()([makePlugin({ name: 'notes', folder })])
      expect(claims).toMatchObject([{ from: `./plugins/notes (module tool-provider, tool-provider.${extension})` }])
      expect(findings).toEqual([])
    },
  )

  it('R-DISC-18 found by candidate 2: what the exports of the package say', async () => {
    const folder = await packages.write(
      'notes',
      {
        type: 'module',
        exports: { '.': './index.js', './tool-provider': { import: './lib/old.js', require: './lib/old.cjs' } },
      },
      { 'lib/old.js': moduleOf('notes'), 'tool-provider.js': 'throw new TypeError("not exported")' },
    )
    const { claims, findings } = await scanner()([makePlugin({ name: 'notes', folder })])
    expect(claims).toMatchObject([{ from: './plugins/notes (module tool-provider, lib/old.js)' }])
    expect(findings).toEqual([])
  })

  it('takes no file that the exports of the package do not name', async () => {
    const folder = await packages.write('notes', { exports: './index.js' }, { 'tool-provider.js': moduleOf('notes') })
    const { claims, findings } = await scanner()([makePlugin({ name: 'notes', folder })])
    expect({ claims, findings }).toEqual({ claims: [], findings: [] })
  })

  it('R-DISC-18 found by candidate 3: the module that the manifest names', async () => {
    const folder = await packages.write('notes', { type: 'module' }, { 'src/old.js': moduleOf('notes') })
    const plugin = makePlugin({ name: 'notes', folder, toolProvider: join(folder, 'src/old.js') })
    const { claims, findings } = await scanner()([plugin])
    expect(claims).toMatchObject([{ from: './plugins/notes (manifest entry toolProvider, src/old.js)' }])
    expect(findings).toEqual([])
  })

  it('follows no link that leads out of the package', async () => {
    const outside = await packages.write('outside', { type: 'module' }, { 'secret.js': moduleOf('notes') })
    const folder = await packages.write('notes', { type: 'module' })
    await symlink(join(outside, 'secret.js'), join(folder, 'tool-provider.js'))
    const { claims, findings } = await scanner()([makePlugin({ name: 'notes', folder })])
    expect(claims).toEqual([])
    expect(findings).toMatchObject([{ code: 'LEGACY_CANDIDATE_INVALID' }])
    expect(findings[0]?.message).toContain('outside its package')
  })

  it('gives the module of a package with several appIds to the one it belongs to, silently', async () => {
    const folder = await packages.write('both', { type: 'module' }, { 'tool-provider.js': moduleOf('b') })
    const { claims, findings } = await scanner()([makePlugin({ name: 'both', appIds: ['a', 'b'], folder })])
    expect(claims.map(({ appId }) => appId)).toEqual(['b'])
    expect(findings).toEqual([])
  })

  it('runs a factory that a module exports once, and gives the same provider at every scan', async () => {
    const text = `let runs = 0
      export default () => {
        runs++
        return { getAppId: () => 'notes', getTools: () => [], invokeTool: () => runs }
      }`
    const folder = await packages.write('notes', { type: 'module' }, { 'tool-provider.js': text })
    const scan = scanner()
    const plugins = [makePlugin({ name: 'notes', folder })]
    const first = await scan(plugins)
    const second = await scan(plugins)
    expect(first.claims).toHaveLength(1)
    const provider = second.claims[0]?.provider
    expect(provider).toBe(first.claims[0]?.provider)
    expect(provider?.kind === 'legacy' && provider.invokeTool('notes.x', {})).toBe(1)
  })
})

describe('what a scan says', () => {
  it.each([
    ['warn', 'warn'],
    ['error', 'error'],
  ] as const)('mode %s: one finding for each plugin that is found by an alias', async (mode, severity) => {
    const both = makePlugin({ name: 'both', appIds: ['a', 'b'] }, (services) => {
      services.register('ToolProvider::a', providerOf('a'))
      services.register('ToolProvider::b', providerOf('b'))
    })
    const { findings } = await scanner({ mode })([withAlias('notes'), both, makePlugin({ name: 'none' })])
    expect(findings).toEqual([
      {
        code: 'LEGACY_ALIAS',
        migration: 'MIG001',
        severity,
        about: { plugin: 'notes', appId: 'notes' },
        phase: 'scan',
        message: 'notes is still found by its container alias.',
        hint: 'Announce it from a listener of RegisterToolProvidersEvent: see examples/04-legacy-beside-migrated.',
        causes: [],
      },
      expect.objectContaining({ severity, message: 'a and b are still found by their container alias.' }),
    ])
  })

  it('mode off: looks for nothing', async () => {
    const result = await scanner({ mode: 'off' })([withAlias('notes')], ['notes'])
    expect(result).toEqual({ claims: [], findings: [], superseded: [], probes: 0, misses: 0 })
  })

  it('R-DISC-02 an alias of an appId that was announced is superseded, and its factory does not run', async () => {
    let runs = 0
    const plugin = makePlugin({ name: 'notes' }, (services) =>
      services.register('ToolProvider::notes', () => ({ ...providerOf('notes'), run: ++runs })),
    )
    const { claims, findings, superseded, probes } = await scanner({ mode: 'warn' })([plugin], ['notes'])
    expect({ claims, findings, probes, runs }).toEqual({ claims: [], findings: [], probes: 0, runs: 0 })
    expect(superseded).toMatchObject([{ appId: 'notes', source: 'legacy', from: './plugins/notes (container alias)' }])
    const provider = superseded[0]?.provider
    expect(provider?.kind === 'legacy' && (await provider.invokeTool('notes.x', {}))).toBe('notes ran notes.x')
  })

  it('a container of the host that throws costs the providers that need it only', async () => {
    const broken = {
      has(): boolean {
        throw new TypeError('container is shut')
      },
      get: () => undefined,
    }
    const plugins = [makePlugin({ name: 'lost' }, () => {}, broken), withAlias('notes')]
    const { claims, findings, superseded } = await scanner()(plugins)
    expect(claims.map(({ appId }) => appId)).toEqual(['notes'])
    expect(findings).toMatchObject([{ code: 'LEGACY_CANDIDATE_INVALID', about: { appId: 'lost' } }])
    expect(superseded).toEqual([])
  })

  it('a scan that fails as a whole is a finding, not a rejection', async () => {
    const now = () => {
      throw new TypeError('the clock stands still')
    }
    const result = await createScan(silent).scan({
      plugins: [withAlias('notes')],
      announced: new Set(),
      clock: { ...clock, now },
      limitMs: 5_000,
    })
    expect(result).toMatchObject({ claims: [], superseded: [] })
    expect(result.findings).toMatchObject([
      { code: 'LEGACY_SCAN_FAILED', severity: 'error', causes: ['the clock stands still'] },
    ])
  })
})

describe('the memory of the scan', () => {
  const manifests = async () => {
    const folder = await packages.write('mod', { type: 'module' }, { 'tool-provider.mjs': moduleOf('mod') })
    return [withAlias('notes'), makePlugin({ name: 'mod', folder }), makePlugin({ name: 'none' })]
  }

  it('R-DISC-19 cold: all candidates until one is there; warm: one look a winner and no manifest', async () => {
    const scan = scanner()
    const plugins = await manifests()
    const cold = await scan(plugins)
    expect([cold.probes, cold.misses]).toEqual([6, 4])
    // A warm scan that read the manifest would not find the module without it.
    await rm(join(packages.root, 'mod', 'package.json'))
    const warm = await scan(plugins)
    expect([warm.probes, warm.misses]).toEqual([2, 0])
    expect(warm.claims).toEqual(cold.claims)
  })

  it('R-DISC-19 a warm scan writes nothing', async () => {
    const kept: unknown[] = []
    const slot = { load: () => kept.at(-1), save: (value: unknown) => kept.push(value) }
    const scan = createScan(silent, createScanCache(60, slot))
    const input = { plugins: await manifests(), announced: new Set<string>(), clock, limitMs: 5_000 }
    await scan.scan(input)
    await scan.scan(input)
    expect(kept).toHaveLength(1)
  })

  it('R-DISC-19 a reordered list is the same list', async () => {
    const scan = scanner()
    const plugins = await manifests()
    await scan(plugins)
    const warm = await scan(plugins.toReversed())
    expect([warm.probes, warm.misses]).toEqual([2, 0])
    expect(warm.claims.map(({ appId }) => appId)).toEqual(['mod', 'notes'])
  })

  it('R-DISC-19 a changed version is another list', async () => {
    const scan = scanner()
    const plugins = await manifests()
    await scan(plugins)
    const upgraded = plugins.map((one) => ({ ...one, plugin: { ...one.plugin, version: '1.0.1' } }))
    expect((await scan(upgraded)).probes).toBe(6)
  })

  it('R-DISC-19 a corrupt memory is as none', async () => {
    let kept: unknown
    const scan = createScan(silent, createScanCache(60, { load: () => kept, save: (value) => (kept = value) }))
    const input = { plugins: await manifests(), announced: new Set<string>(), clock, limitMs: 5_000 }
    const cold = await scan.scan(input)
    kept = '{"key":'
    const again = await scan.scan(input)
    expect(again).toEqual(cold)
  })

  it.each([
    [9, 10],
    [601, 600],
    ['x', 60],
  ])('R-DISC-19 a time to live of %s counts as %s seconds', async (given, seconds) => {
    const scan = scanner({ mode: 'on', cacheTtlSeconds: given as number })
    const plugins = await manifests()
    await scan(plugins)
    await clock.advance(seconds * 1_000 - 1)
    expect((await scan(plugins)).probes).toBe(2)
    await clock.advance(1)
    expect((await scan(plugins)).probes).toBe(6)
  })

  it('sees a provider that a linked package gained without a new version once the time is over', async () => {
    const folder = await packages.write('mod', { type: 'module' })
    const scan = scanner()
    const plugins = [makePlugin({ name: 'mod', folder })]
    expect((await scan(plugins)).claims).toEqual([])
    await writeFile(join(folder, 'tool-provider.js'), moduleOf('mod'))
    expect((await scan(plugins)).claims).toEqual([])
    await clock.advance(60_000)
    expect((await scan(plugins)).claims).toHaveLength(1)
  })

  it('R-DISC-20 an upgrade that adds a provider is found at once, though the appIds are the same', async () => {
    const folder = await packages.write('mod', { type: 'module', exports: { '.': './index.js' } })
    const scan = scanner()
    expect((await scan([makePlugin({ name: 'mod', folder })])).claims).toEqual([])
    const exports = { '.': './index.js', './tool-provider': './tool-provider.js' }
    await packages.write('mod', { type: 'module', exports }, { 'tool-provider.js': moduleOf('mod') })
    const { claims } = await scan([makePlugin({ name: 'mod', folder, version: '1.1.0' })])
    expect(claims).toMatchObject([{ appId: 'mod', version: '1.1.0' }])
  })

  it('R-DISC-21 a winner that went stale is looked for at once with all candidates', async () => {
    const folder = await packages.write('mod', { type: 'module' }, { 'tool-provider.js': moduleOf('mod') })
    const scan = scanner()
    const plugins = [makePlugin({ name: 'mod', folder })]
    await scan(plugins)
    await rm(join(folder, 'tool-provider.js'))
    await writeFile(join(folder, 'tool-provider.mjs'), moduleOf('mod'))
    const { claims, probes, misses } = await scan(plugins)
    expect(claims).toMatchObject([{ from: './plugins/mod (module tool-provider, tool-provider.mjs)' }])
    expect([probes, misses]).toEqual([3, 2])
    expect((await scan(plugins)).probes).toBe(1)
  })

  it('remembers no fault: it stays reported, and its correction is seen at once', async () => {
    const state: { provider: unknown } = { provider: 'broken' }
    const host = { has: () => true, get: () => state.provider }
    const scan = scanner()
    const plugins = [makePlugin({ name: 'notes' }, () => {}, host)]
    expect((await scan(plugins)).findings).toHaveLength(1)
    expect((await scan(plugins)).findings).toHaveLength(1)
    state.provider = providerOf('notes')
    const { claims, findings } = await scan(plugins)
    expect(claims).toHaveLength(1)
    expect(findings).toEqual([])
  })
})
