import { join } from 'node:path'
import { definePlugin, isPlugin, Type } from '@rollcall/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PluginEntry } from '../../src/host-options.ts'
import { type LoadContext, loadPlugins } from '../../src/plugins/load-plugins.ts'
import type { PluginFailure } from '../../src/plugins/loaded-plugin.ts'
import { reservedAppIds } from '../../src/plugins/reserved-app-ids.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { createPluginHome, manifest, type PluginHome, pluginSource } from '../fixtures/plugins/plugin-home.ts'

let home: PluginHome
beforeEach(async () => {
  home = await createPluginHome()
})
afterEach(() => home[Symbol.asyncDispose]())

const load = (entries: readonly PluginEntry[], change: Partial<LoadContext> = {}) =>
  loadPlugins(entries, {
    cwd: home.folder,
    startOrder: 0,
    variables: {},
    hostApi: '1.2.0',
    limitMs: 5_000,
    clock: systemClock,
    ...change,
  })
const put = (name: string, rollcall: object = { appId: name }, source = pluginSource()) =>
  home.put(name, manifest(name, rollcall), { 'index.js': source })
const shortly = ({ name, state, finding: { code, message } }: PluginFailure) => [name, state, code, message]
const plugin = definePlugin({ setup() {} })

describe('loadPlugins', () => {
  it('loads folders, packages and plugins given in code, in the order of the configuration', async () => {
    const folder = await put('weather', { appId: ['Weather', 'climate'], api: '^1.0' })
    await home.put('node_modules/@acme/notes', manifest('@acme/notes', { appId: 'notes' }), {
      'index.js': pluginSource(),
    })
    const { loaded, failures } = await load(
      [{ appId: 'Inline', plugin, onFailure: 'abort' }, './weather', { specifier: '@acme/notes', onFailure: 'abort' }],
      { startOrder: 5 },
    )
    expect(failures).toEqual([])
    expect(loaded).toMatchObject([
      { name: 'inline', version: '0.0.0', appIds: ['inline'], order: 5, from: 'code', onFailure: 'abort' },
      {
        name: 'weather',
        version: '1.0.0',
        appIds: ['weather', 'climate'],
        order: 6,
        folder,
        from: './weather',
        onFailure: 'report',
      },
      { name: '@acme/notes', appIds: ['notes'], order: 7, from: '@acme/notes', onFailure: 'abort' },
    ])
    expect(loaded.map(({ module }) => module.kind)).toEqual(['plugin', 'plugin', 'plugin'])
    expect(loaded[0]).not.toHaveProperty('folder')
  })

  it('loads CommonJS plugins, also those that a compiler wrote, and legacy ones', async () => {
    const head = "const { definePlugin } = require('@rollcall/plugin')\n"
    const cjs = (name: string, source: string) =>
      home.put(name, { name, version: '1.0.0', main: 'i.cjs', rollcall: { appId: name } }, { 'i.cjs': source })
    await cjs('assigned', `${head}module.exports = definePlugin({ setup() {} })`)
    await cjs('compiled', `${head}exports.__esModule = true; exports.default = definePlugin({ setup() {} })`)
    await cjs('legacy', 'module.exports = { register(services) { services.register("x", 1) } }')
    const { loaded, failures } = await load(['./assigned', './compiled', './legacy'])
    expect(failures).toEqual([])
    expect(loaded.map(({ module }) => module.kind)).toEqual(['plugin', 'plugin', 'legacy'])
  })

  it('recognises a plugin that another copy of the package has defined', async () => {
    await put('other', undefined, "export default { setup() {}, [Symbol.for('rollcall.plugin/1')]: true }")
    const { loaded } = await load(['./other'])
    expect(loaded[0]?.module.plugin).toSatisfy(isPlugin)
  })

  it('costs a plugin that can not be loaded its own place only, with one entry that names it and the reason', async () => {
    await put('good')
    await put('no-default', undefined, 'export const nothing = 1')
    await put('undefined-plugin', undefined, 'export default { setup() {} }')
    await put('throwing', undefined, "throw new TypeError('boom at the top')")
    await put('null-throwing', undefined, 'throw null')
    await put('no-setup', undefined, "import { definePlugin } from '@rollcall/plugin'\nexport default definePlugin({})")
    await put('lacking', undefined, `import 'left-pad'\n${pluginSource()}`)
    await home.put('plain', { name: 'plain', version: '1.0.0' }, { 'index.js': "throw new Error('must not run')" })
    await home.put('cut', '{ "name": "cut", ')
    const entries = [
      'no-default',
      'undefined-plugin',
      'throwing',
      'null-throwing',
      'no-setup',
      'lacking',
      'plain',
      'cut',
      'gone',
      'good',
    ]
    const { loaded, failures } = await load(entries.map((name) => `./${name}`))
    expect(loaded.map(({ name }) => name)).toEqual(['good'])
    expect(failures.map(shortly)).toEqual([
      ['no-default', 'failed', 'PLUGIN_INVALID', expect.stringContaining('index.js was not made by definePlugin')],
      ['undefined-plugin', 'failed', 'PLUGIN_INVALID', expect.stringContaining('was not made by definePlugin')],
      ['throwing', 'failed', 'PLUGIN_INVALID', expect.stringMatching(/^throwing can't be loaded: .*boom at the top/)],
      ['null-throwing', 'failed', 'PLUGIN_INVALID', expect.stringContaining('threw null')],
      ['no-setup', 'failed', 'PLUGIN_INVALID', expect.stringContaining('its setup is no function')],
      ['lacking', 'failed', 'PLUGIN_INVALID', expect.stringContaining('"left-pad"')],
      ['./plain', 'failed', 'PLUGIN_INVALID', expect.stringContaining('has no "rollcall" key')],
      ['./cut', 'failed', 'PLUGIN_INVALID', expect.stringContaining('is no valid JSON')],
      ['./gone', 'failed', 'PLUGIN_NOT_FOUND', expect.stringContaining('no such folder')],
    ])
    expect(failures.find(({ name }) => name === './plain')?.finding.hint).toContain('Add "rollcall": { "appId"')
    expect(failures.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    for (const { finding } of failures) expect(finding).toMatchObject({ severity: 'error', phase: 'load' })
  })

  it('does not wait longer than its limit for an entry that never finishes', async () => {
    const clock = createManualClock()
    await put('hanging', undefined, `await new Promise(() => {})\n${pluginSource()}`)
    await put('good')
    const loading = load(['./hanging', './good'], { clock })
    let isOver = false
    void loading.then(() => {
      isOver = true
    })
    await expect.poll(() => clock.advance(1_000).then(() => isOver)).toBe(true)
    const { loaded, failures } = await loading
    expect(loaded.map(({ name }) => name)).toEqual(['good'])
    expect(failures.map(shortly)).toEqual([
      ['hanging', 'failed', 'PLUGIN_TIMEOUT', "hanging: its entry index.js didn't load within 5 s."],
    ])
  })

  it('rejects an api range that excludes this host, naming both versions, before any code of the plugin runs', async () => {
    const source = "throw new Error('must not run')"
    await put('newer', { appId: 'newer', api: '^2.0' }, source)
    await put('nonsense', { appId: 'nonsense', api: 'any' }, source)
    const { failures } = await load(['./newer', './nonsense'])
    expect(failures.map(shortly)).toEqual([
      ['newer', 'rejected', 'PLUGIN_API_MISMATCH', expect.stringMatching(/"\^2\.0".*1\.2\.0/)],
      ['nonsense', 'failed', 'PLUGIN_INVALID', expect.stringContaining('"any", which is no semver range')],
    ])
    expect(failures[0]?.finding.migration).toBe('MIG016')
  })

  it.each(reservedAppIds)('R-DISC-13 rejects a plugin that claims only the reserved %s', async (appId) => {
    await put('taker', { appId: appId.toUpperCase() }, "throw new Error('must not run')")
    const { failures } = await load(['./taker', { appId, plugin }])
    expect(failures.map(shortly)).toEqual([
      ['taker', 'rejected', 'PROVIDER_RESERVED', expect.stringContaining(appId)],
      [appId, 'rejected', 'PROVIDER_RESERVED', expect.stringContaining(appId)],
    ])
  })

  it.each<[string, unknown, string]>([
    ['a number', 7, 'CONFIG_INVALID'],
    ['null', null, 'CONFIG_INVALID'],
    ['an empty object', {}, 'CONFIG_INVALID'],
    ['a list of three', ['./a', {}, 1], 'CONFIG_INVALID'],
    ['an unknown onFailure', { specifier: './a', onFailure: 'ignore' }, 'CONFIG_INVALID'],
    ['an appId with a blank', { appId: 'a b', plugin }, 'PLUGIN_INVALID'],
    ['no appId', { plugin }, 'PLUGIN_INVALID'],
    ['an empty list of appIds', { appId: [], plugin }, 'PLUGIN_INVALID'],
    ['a plugin that was not defined', { appId: 'a', plugin: { setup() {} } }, 'PLUGIN_INVALID'],
  ])('reports an entry that is %s', async (_, entry, code) => {
    const { loaded, failures } = await load([entry as PluginEntry])
    expect(loaded).toEqual([])
    expect(failures.map(({ finding }) => finding.code)).toEqual([code])
  })
})

describe('two plugins', () => {
  it('R-DISC-10 with one appId: the first by configuration order wins, the other is rejected with both paths and never runs', async () => {
    await put('one', { appId: 'same' })
    const other = await put('two', { appId: ['other', 'SAME'] }, "throw new Error('must not run')")
    const { loaded, failures } = await load(['./one', './two', { appId: 'same', plugin }])
    expect(loaded.map(({ name }) => name)).toEqual(['one'])
    expect(failures.map(shortly)).toEqual([
      ['two', 'rejected', 'PLUGIN_DUPLICATE', expect.stringContaining('the appId "same"')],
      ['same', 'rejected', 'PLUGIN_DUPLICATE', expect.stringContaining('a plugin given in code')],
    ])
    expect(failures[0]?.finding.message).toContain(other)
    expect(failures[0]?.finding.message).toContain(join(home.folder, 'one'))
  })

  it('with one appId: the first keeps it even when it fails to load', async () => {
    await put('one', { appId: 'same' }, "throw new Error('broken today')")
    await put('two', { appId: 'same' })
    const { loaded, failures } = await load(['./one', './two'])
    expect(loaded).toEqual([])
    expect(failures.map(({ finding }) => finding.code)).toEqual(['PLUGIN_INVALID', 'PLUGIN_DUPLICATE'])
  })

  it('of one name and different appIds can not both be there', async () => {
    await home.put('old', manifest('twin', { appId: 'old' }), { 'index.js': pluginSource() })
    await home.put('new', manifest('twin', { appId: 'new' }), { 'index.js': pluginSource() })
    const { loaded, failures } = await load(['./new', './old'])
    expect(loaded.map(({ appIds }) => appIds)).toEqual([['new']])
    expect(failures.map(({ finding }) => finding.message)).toEqual([expect.stringContaining('has the name "twin"')])
  })

  it('through two links are one plugin, without a word', async () => {
    await put('real')
    await home.link(join(home.folder, 'real'), 'alias')
    await home.link(join(home.folder, 'real'), 'node_modules/real')
    const { loaded, failures } = await load(['./alias', 'real', './real'])
    expect(loaded.map(({ from }) => from)).toEqual(['./alias'])
    expect(failures).toEqual([])
  })

  it('through two links with different options are told apart from a repetition', async () => {
    await put('real')
    const { failures } = await load(['./real', ['./real', { city: 'Oslo' }]])
    expect(failures.map(shortly)).toContainEqual([
      'real',
      'rejected',
      'PLUGIN_DUPLICATE',
      expect.stringContaining('is configured already'),
    ])
  })

  it('of which one is loaded already: the new one is rejected', async () => {
    await put('real')
    const { loaded: known } = await load(['./real'])
    const { loaded, failures } = await load(['./real', { appId: 'real', plugin }], { known, startOrder: 1 })
    expect(loaded).toEqual([])
    expect(failures.map(({ finding }) => finding.code)).toEqual(['PLUGIN_DUPLICATE', 'PLUGIN_DUPLICATE'])
  })

  it('in two versions: the one beside the configuration is loaded, the nested copy is not', async () => {
    const put = (path: string, version: string) =>
      home.put(path, { ...manifest('dual'), version }, { 'index.js': pluginSource() })
    await put('node_modules/dual', '2.0.0')
    await put('node_modules/other/node_modules/dual', '1.0.0')
    const { loaded } = await load(['dual'])
    expect(loaded).toMatchObject([{ name: 'dual', version: '2.0.0' }])
  })
})

describe('the options of a plugin', () => {
  const schema = Type.Object(
    {
      city: Type.String(),
      days: Type.Integer({ default: 3 }),
      units: Type.Optional(Type.Enum(['metric', 'imperial'])),
    },
    { additionalProperties: false },
  )
  const weather = definePlugin({ options: schema, setup() {} })
  const entry = (options: unknown): PluginEntry => ({ appId: 'weather', plugin: weather, options: options as never })

  it('are checked, copied and filled up with defaults', async () => {
    const given = { city: 'Oslo' }
    const { loaded } = await load([entry(given)])
    expect(loaded[0]?.options).toEqual({ city: 'Oslo', days: 3 })
    expect(given).toEqual({ city: 'Oslo' })
  })

  it('are refused with all faults at once, each with its path and no value', async () => {
    const { failures } = await load([entry({ days: 's3cret', units: 'stone', town: 'Oslo' })])
    expect(failures[0]).toMatchObject({ state: 'failed', finding: { code: 'CONFIG_INVALID' } })
    const message = failures[0]?.finding.message ?? ''
    for (const part of [
      'options.city is missing',
      'options.days must be integer',
      'options.units must',
      'options.town is not known',
    ])
      expect(message).toContain(part)
    expect(message).not.toContain('s3cret')
  })

  it('may have more faults than the checker lists by default', async () => {
    const many = definePlugin({
      options: Type.Object(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, Type.String()]))),
      setup() {},
    })
    const options = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, index]))
    const { failures } = await load([{ appId: 'many', plugin: many, options }])
    expect(failures[0]?.finding.message).toContain('options.k11 must be string')
  })

  it('are refused where the plugin takes none', async () => {
    const { failures } = await load([{ appId: 'plain', plugin, options: {} }])
    expect(failures.map(shortly)).toEqual([
      ['plain', 'failed', 'CONFIG_INVALID', 'plain takes no options, but some are given.'],
    ])
  })

  it('must be data', async () => {
    const { failures } = await load([entry({ city: () => 'Oslo' })])
    expect(failures.map(({ finding }) => finding.code)).toEqual(['CONFIG_INVALID'])
  })

  it('get the values of variables where they come from a configuration, and only there', async () => {
    const source = `import { definePlugin, Type } from '@rollcall/plugin'
export default definePlugin({ options: Type.Object({ path: Type.String() }), setup() {} })`
    await put('reader', undefined, source)
    const variables = { ROOT: '/srv', SECRET: 'hunter2' }
    const { loaded } = await load([['./reader', { path: '${ROOT}/${NAME:-notes}' }], entry({ city: '${SECRET}' })], {
      variables,
    })
    expect(loaded.map(({ options }) => options)).toEqual([{ path: '/srv/notes' }, { city: '${SECRET}', days: 3 }])

    const { failures } = await load([['./reader', { path: '${toString}' }]], { variables })
    expect(failures.map(shortly)).toEqual([
      ['reader', 'failed', 'VARIABLE_MISSING', expect.stringContaining('toString')],
    ])
  })
})
