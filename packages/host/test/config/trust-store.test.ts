import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTrustStore } from '../../src/config/trust-store.ts'
import { tempFolder } from './temp-folder.ts'

const a = `sha256:${'a'.repeat(64)}` as const
const b = `sha256:${'b'.repeat(64)}` as const

it('R-SEC-07 trusts exactly the bytes and the place that were trusted', async () => {
  await using folder = await tempFolder()
  const store = createTrustStore({ folder: join(folder.path, 'state', 'rollcall') })
  expect(await store.isTrusted('/p/rollcall.config.json', a)).toBe(false)
  await store.trust('/p/rollcall.config.json', a)
  expect(await store.isTrusted('/p/rollcall.config.json', a)).toBe(true)
  expect(await store.isTrusted('/p/rollcall.config.json', b)).toBe(false)
  expect(await store.isTrusted('/q/rollcall.config.json', a)).toBe(false)
})

it('forgets the old bytes when the new ones are trusted, and outlives its process', async () => {
  await using folder = await tempFolder()
  await createTrustStore({ folder: folder.path }).trust('/p', a)
  await createTrustStore({ folder: folder.path }).trust('/q', a)
  await createTrustStore({ folder: folder.path }).trust('/p', b)
  const store = createTrustStore({ folder: folder.path })
  expect(await store.isTrusted('/p', a)).toBe(false)
  expect(await store.isTrusted('/p', b)).toBe(true)
  expect((await store.list()).map(({ path, digest }) => [path, digest])).toEqual([
    ['/q', a],
    ['/p', b],
  ])
})

it.skipIf(process.platform === 'win32')('keeps its file to its user and leaves no draft', async () => {
  await using folder = await tempFolder()
  const path = join(folder.path, 'rollcall')
  await createTrustStore({ folder: path }).trust('/p', a)
  expect((await stat(join(path, 'trust.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect(await readdir(path)).toEqual(['trust.json'])
})

it.each([
  ['cut', '{"version": 1, "rows": [{"path": "/p"'],
  ['of another version', `{"version": 2, "rows": [{"path": "/p", "digest": "${a}", "at": 1}]}`],
  ['of another shape', `{"version": 1, "rows": {"/p": "${a}"}}`],
  ['empty', ''],
])('trusts nothing when its file is %s, and can be written again', async (_what, content) => {
  await using folder = await tempFolder({ 'trust.json': content })
  const store = createTrustStore({ folder: folder.path })
  expect(await store.isTrusted('/p', a)).toBe(false)
  expect(await store.list()).toEqual([])
  await store.trust('/p', a)
  expect(await store.isTrusted('/p', a)).toBe(true)
  expect(await readFile(join(folder.path, 'trust.json'), 'utf8')).toContain('"version": 1')
})
