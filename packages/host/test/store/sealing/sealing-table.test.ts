import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFiles } from '../../../../../test/list-files.ts'
import { createPostgresStore } from '../../../src/store/create-postgres-store.ts'
import { createSqliteStore } from '../../../src/store/create-sqlite-store.ts'
import { columnSealing, prefixSealing, sealingOf } from '../../../src/store/sealing/sealing-table.ts'
import { startPostgres, type TestPostgres } from '../start-postgres.ts'

let folder: string
let server: TestPostgres
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-sealing-'))
  server = await startPostgres()
}, 120_000)
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Columns that only say where a row stands. */
const keeping = ['heads.id', 'heads.kind']
const listed = Object.entries(columnSealing)
  .flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column === 'dueAt' ? 'due_at' : column}`),
  )
  .concat(keeping)
  .toSorted()

describe('what is sealed in a store', () => {
  it('R-GOV-23 is said of every column of SQLite', async () => {
    const file = join(folder, 'rollcall.db')
    await (await createSqliteStore({ file }))[Symbol.asyncDispose]()
    const database = new DatabaseSync(file)
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const columns = tables.flatMap(({ name }) =>
      database
        .prepare(`PRAGMA table_info(${String(name)})`)
        .all()
        .map((column) => `${String(name)}.${String(column.name)}`),
    )
    database.close()
    expect(columns.toSorted()).toEqual(listed)
  })

  it('R-GOV-23 is said of every column of PostgreSQL', async () => {
    const url = await server.database()
    await (await createPostgresStore({ url }))[Symbol.asyncDispose]()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
    )
    await client.end()
    const columns = rows.map((row) => `${String(row.table_name)}.${String(row.column_name)}`)
    expect(columns.filter((name) => name !== 'rollcall_schema.version').toSorted()).toEqual(listed)
  })

  it('R-GOV-23 is said of every kind of row in settings that any package writes', async () => {
    const found = new Set<string>()
    for (const path of await listFiles(/packages\/[^/]+\/src\/.*\.ts$/)) {
      const text = await readFile(path, 'utf8')
      if (!/[sS]ettings/.test(text) && !/Prefix = '/.test(text)) continue
      for (const [, prefix = ''] of text.matchAll(/(?:Prefix|Row|\brow) = '([a-z-]+)\/[^']*'/g)) found.add(prefix)
      for (const [, prefix = ''] of text.matchAll(/return `([a-z-]+)\/\$\{/g))
        if (/settings/.test(text)) found.add(prefix)
    }
    // A stream, and the namespace of our own fields in the protocol.
    for (const other of ['call', 'audit', 'rollcall']) found.delete(other)
    expect([...found].toSorted()).toEqual(Object.keys(prefixSealing).toSorted())
  })

  it('R-GOV-23 is sealed where nobody says anything', () => {
    expect(sealingOf('nobody/knows')).toBe('sealed')
    expect(sealingOf('__proto__/x')).toBe('sealed')
    expect(sealingOf('key/digest')).toBe('sealed')
    expect(sealingOf('switch/a')).toBe('plain')
  })
})
