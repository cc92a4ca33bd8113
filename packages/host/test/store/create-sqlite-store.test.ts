import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'
import { createKeyRing } from '../../src/store/sealing/key-ring.ts'
import { sealStore } from '../../src/store/sealing/seal-store.ts'
import { describeStore } from './store-contract.ts'

const head = { status: 'running', principal: 'ada' }
const program = (name: string) => join(import.meta.dirname, name)
let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-store-'))
  file = join(folder, 'state', 'rollcall.db')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describeStore('SQLite store', (clock) => createSqliteStore({ file, clock }))
describeStore(
  'sealed SQLite store',
  async (clock) => sealStore(await createSqliteStore({ file, clock }), createKeyRing('1'.repeat(64))),
  { sealed: true },
)

/** Runs statements on the file from outside, as another program would. */
function edit(sql: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(sql).get()
  } finally {
    database.close()
  }
}

describe('createSqliteStore', () => {
  it('keeps everything over a reopening', async () => {
    const owner = { stream: 'call/a', principal: 'ada' } as const
    const first = await createSqliteStore({ file })
    await first.append('call/a', 0, [{ type: 'one' }], head, { kept: true })
    await first.settings.set('key', [1])
    const digest = await first.blobs.put(new Uint8Array([1, 2]), 'image/png', owner)
    await first[Symbol.asyncDispose]()

    await using second = await createSqliteStore({ file, durability: 'full' })
    expect(await second.head('call/a')).toEqual({ ...head, stream: 'call/a', length: 1 })
    expect(await second.working('call/a')).toEqual({ kept: true })
    expect((await Array.fromAsync(second.read('call/a'))).map(({ event }) => event)).toEqual([{ type: 'one' }])
    expect(await second.settings.get('key')).toEqual({ value: [1], version: 1 })
    expect(await second.blobs.get(digest, owner)).toEqual(new Uint8Array([1, 2]))
  })

  it('makes its folder and files private to their owner, and tightens a file that was open to others', async () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
    const first = await createSqliteStore({ file })
    await first.settings.set('a', 1)
    expect(await modeOf(join(folder, 'state'))).toBe('700')
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(await modeOf(name)).toBe('600')
    await first[Symbol.asyncDispose]()
    await chmod(file, 0o644)
    await using _second = await createSqliteStore({ file })
    expect(await modeOf(file)).toBe('600')
  })

  it('shows one store what another one of the same file committed', async () => {
    await using one = await createSqliteStore({ file })
    await using other = await createSqliteStore({ file })
    expect(await one.append('call/a', 0, [{ type: 'one' }], head)).toBe('appended')
    expect(await other.append('call/a', 0, [{ type: 'late' }], head)).toBe('conflict')
    expect(await other.head('call/a')).toMatchObject({ length: 1 })
  })

  it('lets many open a new file at once', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => createSqliteStore({ file })))
    for (const [index, store] of stores.entries()) expect(await store.settings.set(`k${index}`, index)).toBe(true)
    expect(await stores[0]?.settings.list('k')).toHaveLength(8)
    for (const store of stores) await store[Symbol.asyncDispose]()
  })

  it('lets exactly one of four processes win each slot of a stream', async () => {
    const slots = 250
    const processes = Array.from({ length: 4 }, (_, index) =>
      promisify(execFile)(process.execPath, [program('claim-slots.ts'), file, String(slots), `p${index}`]),
    )
    const wins = (await Promise.all(processes)).map(({ stdout }) => JSON.parse(stdout) as number[])
    expect(wins.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: slots }, (_, slot) => slot))
    await using store = await createSqliteStore({ file })
    const owners = (await Array.fromAsync(store.read('run/contended'))).map(({ event }) => event)
    expect(owners).toEqual(
      Array.from({ length: slots }, (_, slot) => {
        return { type: 'slot.claimed', owner: `p${wins.findIndex((won) => won.includes(slot))}` }
      }),
    )
  })

  it('loses nothing that was committed when its process is killed', async () => {
    const writer = spawn(process.execPath, [program('write-until-killed.ts'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    for await (const chunk of writer.stdout) {
      output += String(chunk)
      if (output.split('\n').length > 300) writer.kill('SIGKILL')
    }
    if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit')
    const printed = Number(output.trimEnd().split('\n').at(-1))

    await using store = await createSqliteStore({ file })
    const length = (await store.head('run/killed'))?.length ?? 0
    expect(length).toBeGreaterThanOrEqual(printed)
    expect(await Array.fromAsync(store.read('run/killed'))).toHaveLength(length)
    expect(await store.working('run/killed')).toEqual({ length })
    expect(await store.append('run/killed', length, [{ type: 'after' }], head)).toBe('appended')
  })

  it('runs on a schema one version newer and refuses any newer than that', async () => {
    await (await createSqliteStore({ file }))[Symbol.asyncDispose]()
    const version = Number(edit('PRAGMA user_version')?.user_version)
    edit(`PRAGMA user_version = ${version + 1}`)
    await using store = await createSqliteStore({ file })
    expect(await store.settings.set('a', 1)).toBe(true)
    edit(`PRAGMA user_version = ${version + 2}`)
    await expect(createSqliteStore({ file })).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining(`schema version ${version + 2}`),
    })
    expect(edit('PRAGMA user_version')).toEqual({ user_version: version + 2 })
  })

  it('says that it is unavailable for a file that is no database, a folder, and a path below a file', async () => {
    const text = join(folder, 'notes.txt')
    await writeFile(text, 'no database, only words: '.repeat(200))
    for (const path of [text, folder, join(text, 'below.db')])
      await expect(createSqliteStore({ file: path })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining(path),
      })
  })

  it('turns a fault of the database into STORE_UNAVAILABLE with its cause, and leaves no transaction open', async () => {
    await using store = await createSqliteStore({ file })
    edit('DROP TABLE events')
    await expect(store.append('call/a', 0, [{ type: 'one' }], head)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      cause: expect.objectContaining({ message: expect.stringContaining('events') }),
    })
    expect(await store.head('call/a')).toBeUndefined()
    expect(await store.append('call/a', 0, [], head)).toBe('appended')
  })

  it('answers a query for heads from an index, whatever it asks for', async () => {
    await (await createSqliteStore({ file }))[Symbol.asyncDispose]()
    for (const condition of ["status = 'waiting'", "principal = 'ada'", "key = 'k'", 'due_at < 5']) {
      const plan = edit(`EXPLAIN QUERY PLAN SELECT * FROM heads WHERE kind = 'call' AND ${condition} ORDER BY id`)
      expect(plan?.detail).toMatch(/^SEARCH heads USING INDEX/)
    }
  })

  it('writes no warning of Node to the error output', async () => {
    const module = JSON.stringify(new URL('../../src/store/create-sqlite-store.ts', import.meta.url).href)
    const script = `const { createSqliteStore } = await import(${module}); await createSqliteStore({ file: ${JSON.stringify(file)} })`
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(stderr).toBe('')
  })
})
