import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPluginHome, manifest, type PluginHome, pluginSource } from '../fixtures/plugins/plugin-home.ts'

let home: PluginHome
beforeAll(async () => {
  home = await createPluginHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const script = fileURLToPath(new URL('../fixtures/plugins/load-and-ask.ts', import.meta.url))
const loadAndAsk = async (...specifiers: readonly string[]) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, home.folder, ...specifiers], {
    timeout: 20_000,
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as { announced: string[]; faults: [string, string, string][] }
}
const announce = "on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [] }))"
const esm = pluginSource(announce)

// The test runner loads modules in its own way; here they are loaded as they will be.
describe('under plain Node', () => {
  it('loads every layout of a package, and names what keeps the broken ones out', async () => {
    const put = (path: string, packageJson: object | string, files: Readonly<Record<string, string>> = {}) =>
      home.put(`node_modules/${path}`, packageJson, files)
    const rollcall = (appId: string) => ({ version: '1.0.0', rollcall: { appId } })
    await put(
      'b-esm-only',
      { name: 'b-esm-only', type: 'module', exports: { '.': { import: './i.js' } }, ...rollcall('b') },
      { 'i.js': esm },
    )
    await put(
      'c-cjs',
      { name: 'c-cjs', main: 'i.cjs', ...rollcall('c') },
      {
        'i.cjs': `const { definePlugin, RegisterToolProvidersEvent } = require('@rollcall/plugin')
exports.__esModule = true
exports.default = definePlugin({ setup({ on }) { ${announce} } })`,
      },
    )
    await put('d-no-main', { name: 'd-no-main', main: './lib/gone.js', ...rollcall('d') })
    await put('e-bad-json', '{ "name": "e-bad-json", ')
    await put(
      '@scope/f-plug',
      { name: '@scope/f-plug', type: 'module', exports: './i.js', ...rollcall('f') },
      { 'i.js': esm },
    )
    await put(
      'h-no-default',
      { name: 'h-no-default', type: 'module', exports: './i.js', ...rollcall('h') },
      { 'i.js': 'export const nothing = 1' },
    )
    await put(
      'i-typescript',
      { name: 'i-typescript', type: 'module', exports: './i.ts', ...rollcall('i') },
      { 'i.ts': esm },
    )
    await home.put('j-local', manifest('j-local', { appId: 'j', entry: './src/j.ts' }), {
      'src/j.ts': `const one: number = 1\n${esm}`,
    })
    await put('k-lacking', manifest('k-lacking'), { 'index.js': `import 'left-pad'\n${esm}` })
    await put('l-cut', manifest('l-cut'), { 'index.js': `import './gone.js'\n${esm}` })
    await put('m-syntax', manifest('m-syntax'), { 'index.js': 'export default = 1' })
    const names = [
      'b-esm-only',
      'c-cjs',
      'd-no-main',
      'e-bad-json',
      '@scope/f-plug',
      'h-no-default',
      'i-typescript',
      './j-local',
      'k-lacking',
      'l-cut',
      'm-syntax',
    ]
    const { announced, faults } = await loadAndAsk(...names)
    expect(announced).toEqual(['b', 'c', 'f', 'j'])
    expect(faults).toEqual([
      ['d-no-main', 'PLUGIN_INVALID', expect.stringContaining('"./lib/gone.js" does not exist')],
      ['e-bad-json', 'PLUGIN_INVALID', expect.stringContaining('is no valid JSON')],
      ['h-no-default', 'PLUGIN_INVALID', expect.stringContaining('was not made by definePlugin')],
      ['i-typescript', 'PLUGIN_INVALID', expect.stringContaining('TypeScript')],
      ['k-lacking', 'PLUGIN_INVALID', expect.stringContaining('"left-pad", which it imports, is missing')],
      ['l-cut', 'PLUGIN_INVALID', expect.stringContaining('gone.js", which it imports, is missing')],
      ['m-syntax', 'PLUGIN_INVALID', expect.stringContaining("m-syntax can't be loaded")],
    ])
  })

  it('loads an ES module and CommonJS that share a package, whichever comes first', async () => {
    const helper = { name: 'helper', type: 'module', exports: './index.js' }
    // Loading a chain of files takes a while: long enough for another import to begin.
    const chain = Array.from({ length: 20 }, (_, link) => [`${link}.js`, link > 0 ? `import './${link - 1}.js'` : ''])
    await home.put('node_modules/helper', helper, { ...Object.fromEntries(chain), 'index.js': `import './19.js'` })
    await home.put('esm', manifest('esm'), { 'index.js': `import 'helper'\n${esm}` })
    await home.put('cjs', manifest('cjs', { appId: 'cjs' }, { type: 'commonjs' }), {
      'index.js': `require('helper')
const { definePlugin, RegisterToolProvidersEvent } = require('@rollcall/plugin')
module.exports = definePlugin({ setup({ on }) { ${announce} } })`,
    })
    expect(await loadAndAsk('./esm', './cjs')).toEqual({ announced: ['esm', 'cjs'], faults: [] })
    expect(await loadAndAsk('./cjs', './esm')).toEqual({ announced: ['cjs', 'esm'], faults: [] })
  })

  it('R-DISC-03 R-DISC-04 R-DISC-05 listeners that throw in whatever way end neither the process nor another plugin', async () => {
    const bodies = {
      sync: "on(RegisterToolProvidersEvent, () => { throw new Error('boom sync') })",
      async: "on(RegisterToolProvidersEvent, async () => { await null; throw new Error('boom async') })",
      null: 'on(RegisterToolProvidersEvent, () => { throw null })',
      setup: "throw new TypeError('boom in setup')",
      after:
        "on(RegisterToolProvidersEvent, async (event) => { event.announce({ kind: 'builtin', tools: [] }); throw new Error('boom after') })",
      good: announce,
    }
    for (const [name, body] of Object.entries(bodies))
      await home.put(`throwing/${name}`, manifest(name), { 'index.js': pluginSource(body) })
    const { announced, faults } = await loadAndAsk(...Object.keys(bodies).map((name) => `./throwing/${name}`))
    expect(announced).toEqual(['good'])
    expect(faults).toEqual([
      ['setup', 'PLUGIN_SETUP_FAILED', expect.stringContaining('boom in setup')],
      ['sync', 'LISTENER_FAILED', expect.stringContaining('boom sync')],
      ['async', 'LISTENER_FAILED', expect.stringContaining('boom async')],
      ['null', 'LISTENER_FAILED', expect.stringContaining('threw null')],
      ['after', 'LISTENER_FAILED', expect.stringContaining('boom after')],
    ])
  })

  it('R-DISC-06 waits for what hangs without holding anything, and ends then', async () => {
    await home.put('hang-setup', manifest('hang-setup'), { 'index.js': pluginSource('return new Promise(() => {})') })
    await home.put('hang-listener', manifest('hang-listener'), {
      'index.js': pluginSource('on(RegisterToolProvidersEvent, () => new Promise(() => {}))'),
    })
    await home.put('good', manifest('good'), { 'index.js': esm })
    const { announced, faults } = await loadAndAsk('./hang-setup', './hang-listener', './good')
    expect(announced).toEqual(['good'])
    expect(faults).toEqual([
      ['hang-setup', 'PLUGIN_TIMEOUT', "hang-setup: its setup didn't finish within 300 ms."],
      [
        'hang-listener',
        'LISTENER_TIMEOUT',
        "hang-listener: its listener didn't finish within 300 ms, so its tools are missing.",
      ],
    ])
  })
})
