import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKeyRing, createSqliteStore, sealStore } from '@rollcall/host'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeEach(async () => {
  project = await makeProject({ ...pluginFiles('demo', toolSource.save) })
  await configure({ key: 'file' })
})
afterEach(() => project[Symbol.asyncDispose]())

const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess({ ...project, env: { ...project.env, ...env } }, words)
const configure = (store: unknown) => project.write({ 'rollcall.config.json': { plugins: ['./plugins/demo'], store } })
const keyFile = () => join(project.folder, '.rollcall', 'store.key')
const database = () => join(project.folder, '.rollcall', 'rollcall.db')
const keysIn = async () => (await readFile(keyFile(), 'utf8')).trim().split('\n')

/** The ids of the keys by which working copies are sealed, with how many each. */
function sealedBy(): Readonly<Record<string, number>> {
  const opened = new DatabaseSync(database(), { readOnly: true, timeout: 5_000 })
  const rows = opened.prepare(
    'SELECT substr(working, 20, 8) AS id, count(*) AS n FROM heads WHERE working IS NOT NULL GROUP BY 1',
  )
  const found = Object.fromEntries(rows.all().map(({ id, n }) => [String(id), Number(n)]))
  opened.close()
  return found
}

const listed = async (env?: Readonly<Record<string, string>>) =>
  JSON.parse((await run(['approvals', '--json'], env)).stdout)

describe('a store with a key file', () => {
  it('R-GOV-24 makes the key once, for its owner alone, and seals what waits', async () => {
    await run(['enable', 'demo__save'])
    expect((await run(['call', 'demo__save', 'text=canary-77'])).code).toBe(4)
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
    expect((await listed()).approvals).toMatchObject([{ args: { text: 'canary-77' } }])
    for (const suffix of ['', '-wal', '-shm'])
      expect(await readFile(`${database()}${suffix}`, 'latin1').catch(() => '')).not.toContain('canary-77')
    expect(await keysIn()).toHaveLength(1)
  })

  it('R-GOV-24 is not opened without the file, and makes no other one', async () => {
    await run(['enable', 'demo__save'])
    const kept = await keysIn()
    await rm(keyFile())
    for (const words of [['approvals'], ['call', 'demo__save', 'text=x'], ['db', 'rotate-key']]) {
      const { code, stderr } = await run(words)
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY_UNKNOWN') })
    }
    await expect(stat(keyFile())).rejects.toThrow()
    await configure({})
    expect(await run(['approvals'])).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY_UNKNOWN') })
    // Looking after the database needs no key.
    expect((await run(['db', 'status'])).code).toBe(0)
    await configure({ key: { env: 'KEY' } })
    expect((await run(['approvals'], { KEY: kept[0] ?? '' })).code).toBe(0)
  })

  it('R-GOV-26 gets a new key by a rotation, and the old one is dropped', async () => {
    await run(['enable', 'demo__save'])
    await run(['call', 'demo__save', 'text=milk'])
    const [old] = await keysIn()
    const rotated = await run(['db', 'rotate-key'])
    expect(rotated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\d+ values brought under the key [0-9a-f]{8}/),
    })
    const keys = await keysIn()
    expect(keys).toHaveLength(1)
    expect(keys).not.toContain(old)
    expect(rotated.stdout + rotated.stderr).not.toContain(keys[0])
    expect((await listed()).approvals).toMatchObject([{ args: { text: 'milk' } }])
  })

  it('R-GOV-26 loses no row when the rotation is killed, and the next one ends it', async () => {
    const rows = 6_000
    await run(['db', 'status'])
    await run(['approvals'])
    const [old = ''] = await keysIn()
    {
      await using store = await sealStore(await createSqliteStore({ file: database() }), createKeyRing(old))
      const head = { status: 'kept', principal: 'ada' }
      const append = (at: number) =>
        store.append(`run/${at}`, 0, [{ type: 'kept' }], head, { at, text: 'x'.repeat(200) })
      for (let from = 0; from < rows; from += 500)
        await Promise.all(Array.from({ length: 500 }, (_, index) => append(from + index)))
    }
    const oldId = createKeyRing(old).current.id
    expect(sealedBy()).toEqual({ [oldId]: rows })

    const rotating = project.begin('--config', 'rollcall.config.json', 'db', 'rotate-key')
    while ((sealedBy()[oldId] ?? 0) === rows) await new Promise((settle) => setTimeout(settle, 2))
    rotating.child.kill('SIGKILL')
    await rotating.ended
    const between = sealedBy()
    expect(Object.keys(between)).toHaveLength(2)
    expect(await keysIn()).toHaveLength(2)

    expect(await run(['db', 'rotate-key'])).toMatchObject({ code: 0 })
    const [current = '', ...others] = await keysIn()
    expect(others).toEqual([])
    expect(sealedBy()).toEqual({ [createKeyRing(current).current.id]: rows })
    await using store = await sealStore(await createSqliteStore({ file: database() }), createKeyRing(current))
    for (let at = 0; at < rows; at += 97) expect(await store.working(`run/${at}`)).toMatchObject({ at })
  }, 60_000)
})

describe('a store with a key of the configuration', () => {
  const KEY = Buffer.alloc(32, 7).toString('base64')
  const OTHER = Buffer.alloc(32, 8).toString('hex')

  it('R-GOV-26 seals what lay there in clear, and changes keys by naming the former one', async () => {
    await configure({})
    await run(['enable', 'demo__save'])
    await run(['call', 'demo__save', 'text=canary-78'])
    expect(Object.keys(sealedBy())).not.toContain(createKeyRing(KEY).current.id)
    await configure({ key: { env: 'KEY' } })
    expect(await run(['db', 'rotate-key'], { KEY })).toMatchObject({ code: 0 })
    expect(sealedBy()).toEqual({ [createKeyRing(KEY).current.id]: 1 })

    await configure({ key: { env: 'OTHER' }, formerKeys: [{ env: 'KEY' }] })
    expect((await listed({ KEY, OTHER })).approvals).toHaveLength(1)
    expect(await run(['db', 'rotate-key'], { KEY, OTHER })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('formerKeys'),
    })
    await configure({ key: { env: 'OTHER' } })
    expect((await listed({ OTHER })).approvals).toMatchObject([{ args: { text: 'canary-78' } }])
  })

  it.each([
    [{}, 'SECRET_MISSING'],
    [{ KEY: 'not-a-key' }, 'KEY_UNKNOWN'],
  ])('R-GOV-24 is not opened with %j', async (env, code) => {
    await configure({ key: { env: 'KEY' } })
    const { stderr, stdout } = await run(['approvals'], env)
    expect(stderr).toContain(code)
    expect(stdout + stderr).not.toContain('not-a-key')
  })

  it('R-GOV-24 without a key can not be rotated', async () => {
    await configure({})
    expect(await run(['db', 'rotate-key'])).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY_UNKNOWN') })
  })

  it('R-GOV-22 restores a backup of a sealed store, which opens with the same key only', async () => {
    await configure({ key: { env: 'KEY' } })
    await run(['enable', 'demo__save'], { KEY })
    await run(['call', 'demo__save', 'text=canary-79'], { KEY })
    expect((await run(['db', 'backup', 'saved.jsonl'])).code).toBe(0)
    expect(await readFile(join(project.folder, 'saved.jsonl'), 'utf8')).not.toContain('canary-79')
    await configure({ url: 'sqlite:elsewhere.db', key: { env: 'KEY' } })
    expect((await run(['db', 'restore', 'saved.jsonl'])).code).toBe(0)
    expect((await listed({ KEY })).approvals).toMatchObject([{ args: { text: 'canary-79' } }])
    expect((await run(['approvals'], { KEY: OTHER })).stderr).toContain('KEY_UNKNOWN')
  })
})
