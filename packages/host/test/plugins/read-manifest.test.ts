import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/plugins/read-manifest.ts'
import { createPluginHome, type PluginHome } from '../fixtures/plugins/plugin-home.ts'

let home: PluginHome
beforeAll(async () => {
  home = await createPluginHome()
})
afterAll(() => home[Symbol.asyncDispose]())

let count = 0
const read = async (packageJson: object | string) => readManifest(await home.put(`p${count++}`, packageJson))
const withManifest = (rollcall: unknown) => ({ name: '@acme/weather', version: '1.2.3', rollcall })

describe('readManifest', () => {
  it('reads all that a manifest may say and ignores the keys of other tools', async () => {
    const rollcall = { appId: 'weather', api: '^1.0', entry: './src/plugin.ts', toolProvider: './tool-provider.js' }
    const more = { keywords: ['rollcall-plugin'], scripts: { test: 'x' }, exports: {}, main: './lib.js' }
    expect(await read({ ...withManifest(rollcall), ...more })).toEqual({
      name: '@acme/weather',
      version: '1.2.3',
      appIds: ['weather'],
      api: '^1.0',
      entry: './src/plugin.ts',
      toolProvider: './tool-provider.js',
      keywords: ['rollcall-plugin'],
      hasExports: true,
      main: './lib.js',
    })
  })

  it('R-DISC-11 writes appIds in lower case and once', async () => {
    expect(await read(withManifest({ appId: ['Foo', 'foo', 'bar-2'] }))).toMatchObject({ appIds: ['foo', 'bar-2'] })
  })

  it('gives a package without a version the lowest one', async () => {
    expect(await read({ name: 'local', rollcall: { appId: 'local' } })).toMatchObject({ version: '0.0.0' })
  })

  it('reads a file that begins with a byte order mark', async () => {
    expect(await read(`\uFEFF${JSON.stringify(withManifest({ appId: 'a' }))}`)).toMatchObject({ appIds: ['a'] })
  })

  it('gives nothing for a package that is no plugin', async () => {
    expect(await read({ name: 'left-pad', version: '1.0.0' })).toBeUndefined()
  })

  it.each<[string, object | string, RegExp]>([
    ['cut JSON', '{ "name": "e", ', /is no valid JSON/],
    ['a list', '[]', /is no JSON object/],
    ['a __proto__ key', '{ "name": "e", "rollcall": { "appId": "e", "__proto__": {} } }', /"__proto__" key/],
    ['an escaped __proto__ key', '{ "name": "e", "\\u005f_proto__": { "rollcall": {} } }', /"__proto__" key/],
    ['more than 256 KB', JSON.stringify({ ...withManifest({ appId: 'a' }), x: 'x'.repeat(256 * 1024) }), /bytes/],
    ['no name', { rollcall: { appId: 'a' } }, /name is missing/],
    ['a name that is a path', { name: '../x', rollcall: { appId: 'a' } }, /"\.\.\/x" is no package name/],
    ['no appId', withManifest({}), /rollcall\.appId is missing/],
    ['an empty list of appIds', withManifest({ appId: [] }), /rollcall\.appId must be a list of at least 1/],
    ['an appId with an underscore', withManifest({ appId: 'my_app' }), /"my_app" is no appId/],
    ['an appId that is too long', withManifest({ appId: 'a'.repeat(33) }), /is no appId/],
    ['an appId that is no text', withManifest({ appId: 7 }), /rollcall\.appId must be an appId or a list of them/],
    ['a manifest that is no object', withManifest('weather'), /rollcall must be an object/],
    [
      'a misspelt key',
      withManifest({ appId: 'a', enty: './x.js' }),
      /rollcall\.enty unknown key; did you mean "entry"/,
    ],
    ['a version that is none', { name: 'a', version: 'new', rollcall: { appId: 'a' } }, /"new" is no semver version/],
  ])('refuses %s and says so', async (_, packageJson, message) => {
    await expect(read(packageJson)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('package.json'),
    })
  })

  it('names every fault at once', async () => {
    const message = await read({ rollcall: { appId: '9', api: 1 } }).catch(({ message }: Error) => message)
    for (const part of ['name is missing', 'rollcall.appId "9"', 'rollcall.api must be'])
      expect(message).toContain(part)
  })

  it('says that a folder has no package.json', async () => {
    await expect(readManifest(join(home.folder, 'nowhere'))).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringContaining('has no package.json'),
    })
  })

  it('refuses a package.json that is no file', async () => {
    const folder = await home.put('odd/inside', {})
    await symlink(folder, join(home.folder, 'odd', 'package.json'))
    await expect(readManifest(join(home.folder, 'odd'))).rejects.toMatchObject({ code: 'PLUGIN_INVALID' })
  })
})
