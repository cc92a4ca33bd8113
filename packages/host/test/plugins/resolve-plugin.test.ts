import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolvePlugin } from '../../src/plugins/resolve-plugin.ts'
import { createPluginHome, type PluginHome } from '../fixtures/plugins/plugin-home.ts'

let home: PluginHome
let cwd: string
beforeAll(async () => {
  home = await createPluginHome()
  cwd = join(home.folder, 'app')
  await mkdir(cwd)
  await home.put('app/plugins/weather', {})
  await home.put('beside', {})
  await home.put('node_modules/dual', {})
  await home.put('app/node_modules/dual', {})
  await home.put('node_modules/above', {})
  await home.put('node_modules/@acme/weather', {})
  await home.link('../beside', 'node_modules/linked')
})
afterAll(() => home[Symbol.asyncDispose]())

describe('resolvePlugin', () => {
  it('finds folders beside the configuration', async () => {
    const weather = join(cwd, 'plugins', 'weather')
    for (const specifier of [
      './plugins/weather',
      './plugins/weather/',
      'file:plugins/weather',
      weather,
      pathToFileURL(weather).href,
    ])
      expect(await resolvePlugin(specifier, cwd)).toBe(weather)
    expect(await resolvePlugin('../beside', cwd)).toBe(join(home.folder, 'beside'))
    expect(await resolvePlugin('.', weather)).toBe(weather)
  })

  it('finds the nearest installed package upward, scoped ones and links too, by its real path', async () => {
    expect(await resolvePlugin('dual', cwd)).toBe(join(cwd, 'node_modules', 'dual'))
    expect(await resolvePlugin('above', cwd)).toBe(join(home.folder, 'node_modules', 'above'))
    expect(await resolvePlugin('@acme/weather', cwd)).toBe(join(home.folder, 'node_modules', '@acme', 'weather'))
    expect(await resolvePlugin('linked', cwd)).toBe(join(home.folder, 'beside'))
  })

  it.each([
    ['./plugins/wether', '"./plugins/wether": no such folder; did you mean "./plugins/weather"?'],
    ['@acme/wether', 'did you mean "@acme/weather"?'],
    ['dul', 'did you mean "dual"?'],
    ['./nothing/like/it', '"./nothing/like/it": no such folder.'],
    ['entirely-different-name', 'is neither a folder nor an installed package.'],
  ])('says what %s may have been meant to be', async (specifier, message) => {
    await expect(resolvePlugin(specifier, cwd)).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('"plugins"'),
    })
  })

  it.each([
    'dual/../above',
    'dual/sub',
    'https://127.0.0.1/x.js',
    'data:text/javascript,1',
    'file://elsewhere/x',
    '',
    '@acme',
    '..dual',
  ])('R-SEC-18 takes %j for no package', async (specifier) => {
    await expect(resolvePlugin(specifier, cwd)).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND' })
  })
})
