import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeEach(async () => {
  project = await makeProject({
    'rollcall.config.json': { plugins: ['./plugins/demo'] },
    ...pluginFiles('demo', toolSource.save),
  })
})
afterEach(() => project[Symbol.asyncDispose]())

const run = (...words: readonly string[]) => runInProcess(project, words)
const json = async (...words: readonly string[]) => JSON.parse((await run(...words, '--json')).stdout)
const useStore = (store: unknown) => project.write({ 'rollcall.config.json': { plugins: ['./plugins/demo'], store } })

describe('rollcall db', () => {
  it('R-GOV-22 makes a backup only its owner may read, and restores it elsewhere with the audit still vouched for', async () => {
    await run('enable', 'demo__save')
    // U+2028 ends a line for some readers, and a name may hold it.
    await run('call', 'demo__save', 'text=one', '--approve')
    await run('call', 'demo__\u2028', '{}')
    const before = await json('db', 'status')
    expect(before).toMatchObject({ store: 'SQLite', schema: 2 })
    expect(before.rows.events).toBeGreaterThan(3)

    expect(await run('db', 'backup', 'saved.jsonl')).toMatchObject({ code: 0 })
    const file = join(project.folder, 'saved.jsonl')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await run('db', 'backup', 'saved.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('FILE_EXISTS'),
    })
    expect(await run('db', 'restore', 'saved.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('STORE_NOT_EMPTY'),
    })

    await useStore('sqlite:elsewhere.db')
    expect(await run('db', 'restore', 'saved.jsonl')).toMatchObject({ code: 0 })
    const after = await json('db', 'status')
    expect(after.rows).toEqual(before.rows)
    expect((await json('audit')).records).toMatchObject([{ tool: 'demo__save', status: 'ok' }, { status: 'denied' }])
    expect(await run('audit', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all as they were written'),
    })
  })

  it('R-GOV-22 refuses what is no backup, and leaves no half of a file', async () => {
    await writeFile(join(project.folder, 'other.txt'), 'hello\n')
    for (const name of ['other.txt', 'absent.jsonl', '.']) {
      const { code, stderr } = await run('db', 'restore', name)
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('BACKUP_INVALID') })
    }
    expect(await run('db', 'backup', 'no/such/folder.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('BACKUP_INVALID'),
    })
    expect((await json('db', 'status')).rows).toEqual({ events: 0, heads: 0, settings: 0, blobs: 0 })
  })

  it('R-GOV-22 says what was done to the tables', async () => {
    expect(await json('db', 'migrate')).toMatchObject({ found: 0, version: 2 })
    expect((await run('db', 'migrate')).stdout).toContain('nothing to do')
  })

  it('R-GOV-21 shows the address of a database without its password', async () => {
    await useStore('postgres://ada:${PGPASSWORD}@127.0.0.1:1/db')
    const env = { ...project.env, PGPASSWORD: 'S3CRET@/#?' }
    const { code, stderr } = await runInProcess({ ...project, env }, ['db', 'status'])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('STORE_UNAVAILABLE') })
    expect(stderr).not.toContain('S3CRET')
    expect((await run('config')).stdout).not.toContain('ada')
  })
})
