import type { DatabaseSync } from 'node:sqlite'
import type { SqliteWork } from './create-sqlite-store.ts'
import type { StreamId } from './store.ts'
import { storeNotEmpty } from './store-not-empty.ts'
import { type SchemaVersions, type StoreRow, type StoreRows, type StoreTable, storeTables } from './store-row.ts'

type Row = Readonly<Record<string, unknown>>

// A row that comes twice is no fault here: whoever reads the backup finds that it was changed.
const kindOf = "substr(:stream, 1, instr(:stream, '/') - 1)"
const inserts: Readonly<Record<StoreTable, string>> = {
  events: `INSERT OR IGNORE INTO events (stream, sequence, at, event, chain, link, digest)
    VALUES (:stream, :sequence, :at, :event, :chain, :link, :digest)`,
  heads: `INSERT OR IGNORE INTO heads (stream, kind, length, status, principal, due_at, parent, key, working)
    VALUES (:stream, ${kindOf}, :length, :status, :principal, :dueAt, :parent, :key, :working)`,
  settings: 'INSERT OR IGNORE INTO settings (key, value, version) VALUES (:key, :value, :version)',
  blobs:
    'INSERT OR IGNORE INTO blobs (digest, stream, principal, type, bytes) VALUES (:digest, :stream, :principal, :type, :bytes)',
}
const selects: Readonly<Record<StoreTable, string>> = {
  events: 'SELECT stream, sequence, at, event, chain, link, digest FROM events ORDER BY stream, sequence',
  heads: 'SELECT stream, length, status, principal, due_at AS dueAt, parent, key, working FROM heads ORDER BY id',
  settings: 'SELECT key, value, version FROM settings ORDER BY key',
  blobs: 'SELECT digest, stream, principal, type, bytes FROM blobs ORDER BY digest, principal, stream',
}

const settingsFrom = 'SELECT key, value, version FROM settings WHERE key >= ? AND value IS NOT NULL ORDER BY key'
const insertSetting = 'INSERT INTO settings (key, value, version) VALUES (:key, :value, 1) ON CONFLICT DO NOTHING'
const swapSetting = 'UPDATE settings SET value = :value, version = version + 1 WHERE key = :key AND version = :version'
const replaces = {
  heads: 'UPDATE heads SET working = :value WHERE stream = :stream AND working = :working',
  settings: 'UPDATE settings SET value = :value WHERE key = :key AND version = :version AND value = :before',
  blobs:
    'UPDATE blobs SET bytes = :bytes WHERE digest = :digest AND principal = :principal AND stream = :stream AND bytes = :before',
}

/**
 * The tables of a SQLite file as a whole.
 *
 * @param connect opens the file once more: what takes long has a connection, and so a transaction, of its own
 */
export function createSqliteRows(options: {
  readonly database: DatabaseSync
  readonly work: SqliteWork
  readonly connect: () => DatabaseSync
  readonly schema: SchemaVersions
}): StoreRows {
  const { database, work, connect, schema } = options
  return {
    kind: 'SQLite',
    schema,

    async counts() {
      return work(() => countsOf(database))
    },

    async *dump() {
      const reader = work(connect)
      try {
        work(() => reader.exec('BEGIN'))
        for (const table of storeTables) {
          const rows = work(() => reader.prepare(selects[table]).iterate())
          for (;;) {
            const next = work(() => rows.next())
            if (next.done === true) break
            yield toStoreRow(table, next.value)
          }
        }
      } finally {
        reader.close()
      }
    },

    async setting(key) {
      const row = work(() => database.prepare('SELECT value, version FROM settings WHERE key = ?').get(key))
      return row && { value: row.value as string | null, version: Number(row.version) }
    },

    async settings(prefix) {
      return work(() => {
        const found: { key: string; value: string; version: number }[] = []
        // Keys with the prefix follow each other in key order; a pattern would have to escape `%` and `_`.
        for (const row of database.prepare(settingsFrom).iterate(prefix)) {
          const key = row.key as string
          if (!key.startsWith(prefix)) break
          found.push({ key, value: row.value as string, version: Number(row.version) })
        }
        return found
      })
    },

    async swapSetting(key, value, version) {
      const statement = version === 0 ? insertSetting : swapSetting
      return work(() => database.prepare(statement).run({ key, value, ...(version > 0 && { version }) }).changes === 1)
    },

    async replace(row, value) {
      if (row.table === 'heads') {
        const { stream, working } = row
        return work(() => database.prepare(replaces.heads).run({ stream, working, value }).changes === 1)
      }
      if (row.table === 'settings') {
        const { key, version, value: before } = row
        return work(() => database.prepare(replaces.settings).run({ key, version, before, value }).changes === 1)
      }
      if (row.table !== 'blobs') return false
      const { digest, principal, stream } = row
      const [before, bytes] = [Buffer.from(row.bytes, 'base64'), Buffer.from(value, 'base64')]
      return work(
        () => database.prepare(replaces.blobs).run({ digest, principal, stream, before, bytes }).changes === 1,
      )
    },

    async load(rows) {
      const writer = work(connect)
      try {
        work(() => writer.exec('BEGIN IMMEDIATE'))
        if (Object.values(work(() => countsOf(writer))).some((count) => count > 0)) throw storeNotEmpty()
        const statements = work(() => storeTables.map((table) => [table, writer.prepare(inserts[table])] as const))
        const insertInto = new Map(statements)
        let loaded = 0
        for await (const { table, ...row } of rows) {
          const bound = 'bytes' in row ? { ...row, bytes: Buffer.from(row.bytes, 'base64') } : row
          work(() => insertInto.get(table)?.run(bound))
          loaded += 1
        }
        work(() => writer.exec('COMMIT'))
        return loaded
      } finally {
        // What was not committed is rolled back with it.
        writer.close()
      }
    },
  }
}

function countsOf(database: DatabaseSync): Record<StoreTable, number> {
  const count = (table: StoreTable) => Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows)
  return { events: count('events'), heads: count('heads'), settings: count('settings'), blobs: count('blobs') }
}

function toStoreRow(table: StoreTable, row: Row): StoreRow {
  const plain = { table, ...row } as unknown as StoreRow
  return table === 'blobs' ? ({ ...plain, bytes: toBase64(row.bytes) } as StoreRow & { stream: StreamId }) : plain
}

function toBase64(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString('base64')
}
