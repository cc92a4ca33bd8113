import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { discoverDependencies } from '../../src/plugins/discover-dependencies.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import { createPluginHome, manifest, type PluginHome } from '../fixtures/plugins/plugin-home.ts'

let home: PluginHome
const store = createMemoryStore()
const { settings } = store
beforeEach(async () => {
  home = await createPluginHome()
})
afterEach(() => home[Symbol.asyncDispose]())

const discover = () => discoverDependencies({ cwd: home.folder, settings, startOrder: 3 })
const keyword = { keywords: ['rollcall-plugin'] }
const mustNotRun = { 'index.js': "throw new Error('must not run')" }
const install = (name: string, packageJson: object | string) =>
  home.put(`node_modules/${name}`, packageJson, mustNotRun)
const depend = (...names: readonly string[]) =>
  home.put('.', { name: 'app', dependencies: Object.fromEntries(names.map((name) => [name, '*'])) })

describe('discoverDependencies', () => {
  it('R-SEC-18 holds a dependency with the keyword until a person accepts it once', async () => {
    await install('@acme/plug', manifest('@acme/plug', { appId: 'plug' }, keyword))
    await depend('@acme/plug')
    const first = await discover()
    expect(first).toMatchObject({ accepted: [], findings: [] })
    expect(first.held).toMatchObject([
      {
        name: '@acme/plug',
        appIds: ['plug'],
        order: 3,
        state: 'held',
        finding: { code: 'PLUGIN_NEW', severity: 'info', hint: 'rollcall enable @acme/plug' },
      },
    ])
    await settings.set('plugin/@acme/plug', { accepted: true })
    expect(await discover()).toEqual({ accepted: ['@acme/plug'], held: [], findings: [] })
    await settings.set('plugin/@acme/plug', { accepted: 'true' })
    expect(await discover()).toMatchObject({ accepted: [], held: [{ name: '@acme/plug' }] })
  })

  it('leaves alone what is no plugin, not installed, or not depended upon', async () => {
    await install('left-pad', { name: 'left-pad', version: '1.0.0', exports: { '.': './index.js' } })
    await install('stranger', manifest('stranger', { appId: 'stranger' }, keyword))
    await install('left-pad/node_modules/nested', manifest('nested', { appId: 'nested' }, keyword))
    await depend('left-pad', 'not-installed')
    expect(await discover()).toEqual({ accepted: [], held: [], findings: [] })
  })

  it('reports each broken package once and goes on', async () => {
    await install('cut', '{ "name": "cut", "keywords": ["rollcall-plugin"], ')
    await install('bare', { name: 'bare', version: '1.0.0', ...keyword })
    await install('wrong', manifest('wrong', { appId: 'not an appId' }, keyword))
    await install('good', manifest('good', { appId: 'good' }, keyword))
    await depend('cut', 'bare', 'wrong', 'good')
    const { held, findings } = await discover()
    expect(held.map(({ name, order }) => [name, order])).toEqual([['good', 6]])
    expect(findings.map(({ code, about, message }) => [code, about.plugin, message])).toEqual([
      ['PLUGIN_INVALID', 'cut', expect.stringContaining('is no valid JSON')],
      ['PLUGIN_INVALID', 'bare', expect.stringContaining('has no "rollcall" key')],
      ['PLUGIN_INVALID', 'wrong', expect.stringContaining('is no appId')],
    ])
  })

  it('reads optional dependencies too, and lists each once', async () => {
    await install('plug', manifest('plug', { appId: 'plug' }, keyword))
    await home.put('.', { dependencies: { plug: '*' }, optionalDependencies: { plug: '*' } })
    expect((await discover()).held.map(({ name }) => name)).toEqual(['plug'])
  })

  it('does not let a package borrow the acceptance of another by its name', async () => {
    await settings.set('plugin/trusted', { accepted: true })
    await install('impostor', manifest('trusted', { appId: 'trusted' }, keyword))
    await depend('impostor')
    expect(await discover()).toMatchObject({ accepted: [], held: [{ name: 'impostor' }] })
  })

  it('finds nothing without a package.json, and reports one that is broken', async () => {
    expect(await discover()).toEqual({ accepted: [], held: [], findings: [] })
    await home.put('.', '[]')
    expect(await discover()).toMatchObject({ accepted: [], held: [], findings: [{ code: 'PLUGIN_INVALID' }] })
  })
})
