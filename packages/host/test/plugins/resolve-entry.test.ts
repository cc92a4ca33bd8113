import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/plugins/read-manifest.ts'
import { resolveEntry } from '../../src/plugins/resolve-entry.ts'
import { createPluginHome, type PluginHome } from '../fixtures/plugins/plugin-home.ts'

let home: PluginHome
beforeAll(async () => {
  home = await createPluginHome()
  await writeFile(join(home.folder, 'outside.js'), '')
})
afterAll(() => home[Symbol.asyncDispose]())

let count = 0
const put = (more: object, files: readonly string[] = [], place = 'p') => {
  const name = `p${count++}`
  const packageJson = { name, version: '1.0.0', rollcall: { appId: 'a' }, ...more }
  return home.put(`${place}/${name}`, packageJson, Object.fromEntries(files.map((file) => [file, ''])))
}
const resolve = async (folder: string) => {
  const manifest = await readManifest(folder)
  if (manifest === undefined) expect.unreachable()
  return resolveEntry(folder, manifest)
}

describe('resolveEntry', () => {
  it.each<[string, object, string]>([
    ['the entry of the manifest', { rollcall: { appId: 'a', entry: './src/x.ts' }, exports: './no.js' }, 'src/x.ts'],
    ['a short exports', { exports: './dist/x.js' }, 'dist/x.js'],
    ['the import condition', { exports: { '.': { require: './no.cjs', import: './dist/x.js' } } }, 'dist/x.js'],
    ['the default condition', { exports: { '.': { require: './no.cjs', default: './x.js' } } }, 'x.js'],
    ['exports without package.json', { exports: { './sub': './no.js', '.': { import: './x.js' } } }, 'x.js'],
    ['exports before main', { exports: './x.js', main: './no.js' }, 'x.js'],
    ['main', { main: './lib/x.cjs' }, 'lib/x.cjs'],
    ['main without a suffix', { main: 'lib/x' }, 'lib/x.js'],
    ['main that is a folder', { main: './lib' }, 'lib/index.js'],
    ['index.js', {}, 'index.js'],
  ])('takes %s', async (_, more, file) => {
    const folder = await put(more, [file])
    expect(await resolve(folder)).toEqual({ entry: join(folder, file) })
  })

  it('finds the legacy tool provider, and does without one that is not there', async () => {
    const rollcall = { appId: 'a', toolProvider: './tool-provider.js' }
    const folder = await put({ rollcall }, ['index.js', 'tool-provider.js'])
    expect(await resolve(folder)).toMatchObject({ toolProvider: join(folder, 'tool-provider.js') })
    expect(await resolve(await put({ rollcall }, ['index.js']))).not.toHaveProperty('toolProvider')
  })

  it.each<[string, object, string]>([
    ['an entry', { rollcall: { appId: 'a', entry: './gone.js' } }, 'its entry "./gone.js" does not exist'],
    ['a main', { main: './lib/gone.js' }, 'its main "./lib/gone.js" does not exist'],
    ['an index.js', {}, 'it has no index.js, exports or main'],
    ['an exported file', { exports: './gone.js' }, 'its exports lead to no file'],
    ['an export for import', { exports: { require: './x.cjs' } }, 'its exports lead to no file'],
    ['a main export', { exports: { './sub': './x.js' } }, 'its exports lead to no file'],
  ])('names the package when %s is missing', async (_, more, message) => {
    const folder = await put(more)
    await expect(resolve(folder)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringMatching(new RegExp(`^p\\d+ can't be loaded: ${message}`)),
    })
  })

  it.each<[string, object]>([
    ['an entry that climbs out', { rollcall: { appId: 'a', entry: '../../outside.js' } }],
    ['an entry that climbs out and is missing', { rollcall: { appId: 'a', entry: '../../gone.js' } }],
    ['an absolute entry', { rollcall: { appId: 'a', entry: '/etc/hostname' } }],
    ['the folder itself', { rollcall: { appId: 'a', entry: '.' } }],
    ['a tool provider that climbs out', { rollcall: { appId: 'a', toolProvider: '../../outside.js' } }],
    ['a main that climbs out', { main: '../../outside.js' }],
  ])('R-SEC-18 refuses %s', async (_, more) => {
    await expect(resolve(await put(more, ['index.js']))).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringContaining('lies outside the package'),
    })
  })

  it('R-SEC-18 refuses exports that climb out', async () => {
    await expect(resolve(await put({ exports: '../../outside.js' }))).rejects.toMatchObject({ code: 'PLUGIN_INVALID' })
  })

  it.each(['entry', 'toolProvider'])('R-SEC-18 refuses an %s that is a link out of the package', async (key) => {
    const folder = await put({ rollcall: { appId: 'a', [key]: './link.js' } }, ['index.js'])
    await home.link(join(home.folder, 'outside.js'), join(folder.slice(home.folder.length), 'link.js'))
    await expect(resolve(folder)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringContaining('lies outside the package'),
    })
  })

  it('follows a link that stays inside the package', async () => {
    const folder = await put({ rollcall: { appId: 'a', entry: './link.js' } }, ['src/x.js'])
    await home.link(join(folder, 'src', 'x.js'), join(folder.slice(home.folder.length), 'link.js'))
    expect(await resolve(folder)).toEqual({ entry: join(folder, 'src', 'x.js') })
  })

  it('refuses TypeScript in node_modules, which Node would not load', async () => {
    const folder = await put({ exports: './x.ts' }, ['x.ts'], 'node_modules')
    await expect(resolve(folder)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringContaining('TypeScript'),
    })
  })
})
