import type { PostgresWork, Query } from './create-postgres-store.ts'
import type { StreamId } from './store.ts'
import { storeNotEmpty } from './store-not-empty.ts'
import { type SchemaVersions, type StoreRow, type StoreRows, type StoreTable, storeTables } from './store-row.ts'

type Row = Readonly<Record<string, unknown>>

/** Rows of one statement; blobs may be large, so they come one by one. */
const pageSize = (table: StoreTable) => (table === 'blobs' ? 1 : 500)
const selects: Readonly<Record<StoreTable, string>> = {
  events: 'SELECT stream, sequence, at, event, chain, link, digest FROM events ORDER BY stream COLLATE "C", sequence',
  heads: 'SELECT stream, length, status, principal, due_at AS "dueAt", parent, key, working FROM heads ORDER BY id',
  settings: 'SELECT key, value, version FROM settings ORDER BY key',
  blobs: `SELECT digest, stream, principal, type, encode(bytes, 'base64') AS bytes FROM blobs
    ORDER BY digest, principal, stream COLLATE "C"`,
}
const given: Readonly<Record<StoreTable, string>> = {
  events: 'stream text, sequence int, at bigint, event text, chain text, link bigint, digest text',
  heads:
    '"order" int, stream text, length int, status text, principal text, "dueAt" bigint, parent text, key text, working text',
  settings: 'key text, value text, version int',
  blobs: 'digest text, stream text, principal text, type text, bytes text',
}
const inserts: Readonly<Record<StoreTable, string>> = {
  events: `INSERT INTO events (stream, sequence, at, event, chain, link, digest)
    SELECT stream, sequence, at, event, chain, link, digest`,
  heads: `INSERT INTO heads (stream, kind, length, status, principal, due_at, parent, key, working)
    SELECT stream, split_part(stream, '/', 1), length, status, principal, "dueAt", parent, key, working`,
  settings: 'INSERT INTO settings (key, value, version) SELECT key, value, version',
  blobs: `INSERT INTO blobs (digest, stream, principal, type, bytes)
    SELECT digest, stream, principal, type, decode(bytes, 'base64')`,
}

/** The tables of a PostgreSQL database as a whole. */
export function createPostgresRows(work: PostgresWork, schema: SchemaVersions): StoreRows {
  return {
    kind: 'PostgreSQL',
    schema,
    counts: () => countsOf(work.query),

    async *dump() {
      await using session = await work.session()
      await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY')
      for (const table of storeTables) {
        await session.query(`DECLARE rows_of_${table} CURSOR FOR ${selects[table]}`)
        for (;;) {
          const { rows } = await session.query(`FETCH ${pageSize(table)} FROM rows_of_${table}`)
          if (rows.length === 0) break
          for (const row of rows) yield toStoreRow(table, row)
        }
      }
      await session.query('COMMIT')
    },

    async setting(key) {
      const { rows } = await work.query('SELECT value, version FROM settings WHERE key = $1', [key])
      const [row] = rows
      return row && { value: row.value as string | null, version: Number(row.version) }
    },

    async settings(prefix) {
      const { rows } = await work.query(
        'SELECT key, value, version FROM settings WHERE starts_with(key, $1) AND value IS NOT NULL ORDER BY key',
        [prefix],
      )
      return rows.map(({ key, value, version }) => ({
        key: key as string,
        value: value as string,
        version: Number(version),
      }))
    },

    async swapSetting(key, value, version) {
      const changed =
        version === 0
          ? await work.query('INSERT INTO settings (key, value, version) VALUES ($1, $2, 1) ON CONFLICT DO NOTHING', [
              key,
              value,
            ])
          : await work.query('UPDATE settings SET value = $2, version = version + 1 WHERE key = $1 AND version = $3', [
              key,
              value,
              version,
            ])
      return changed.rowCount === 1
    },

    async replace(row, value) {
      const change = replacement(row, value)
      return change !== undefined && (await work.query(change.text, change.values)).rowCount === 1
    },

    load: (rows) =>
      work.inTransaction(async (query) => {
        await query(`LOCK TABLE ${storeTables.join(', ')} IN EXCLUSIVE MODE`)
        if (Object.values(await countsOf(query)).some((count) => count > 0)) throw storeNotEmpty()
        let loaded = 0
        let waiting: StoreRow[] = []
        const flush = async () => {
          const [first] = waiting
          if (first === undefined) return
          const { table } = first
          const page = waiting.map((row, order) => ({ order, ...row }))
          const order = table === 'heads' ? ' ORDER BY "order"' : ''
          // A row that comes twice is no fault here: whoever reads the backup finds that it was changed.
          await query(
            `${inserts[table]} FROM json_to_recordset($1::json) AS given (${given[table]})${order} ON CONFLICT DO NOTHING`,
            [JSON.stringify(page)],
          )
          loaded += page.length
          waiting = []
        }
        for await (const row of rows) {
          if (waiting.length >= pageSize(row.table) || waiting[0]?.table !== row.table) await flush()
          waiting.push(row)
        }
        await flush()
        return loaded
      }),
  }
}

function replacement(row: StoreRow, value: string): { text: string; values: readonly unknown[] } | undefined {
  switch (row.table) {
    case 'heads':
      return {
        text: 'UPDATE heads SET working = $2 WHERE stream = $1 AND working = $3',
        values: [row.stream, value, row.working],
      }
    case 'settings':
      return {
        text: 'UPDATE settings SET value = $2 WHERE key = $1 AND version = $3 AND value = $4',
        values: [row.key, value, row.version, row.value],
      }
    case 'blobs':
      return {
        text: `UPDATE blobs SET bytes = decode($4, 'base64')
          WHERE digest = $1 AND principal = $2 AND stream = $3 AND bytes = decode($5, 'base64')`,
        values: [row.digest, row.principal, row.stream, value, row.bytes],
      }
    default:
      return undefined
  }
}

async function countsOf(query: Query): Promise<Record<StoreTable, number>> {
  const counts = storeTables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join(', ')
  const { rows } = await query(`SELECT ${counts}`)
  const count = (table: StoreTable) => Number(rows[0]?.[table])
  return { events: count('events'), heads: count('heads'), settings: count('settings'), blobs: count('blobs') }
}

function toStoreRow(table: StoreTable, row: Row): StoreRow {
  const numbers = ['sequence', 'at', 'link', 'length', 'dueAt', 'version']
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    // The driver gives 64 bits as text; the database breaks base64 into lines.
    value !== null && numbers.includes(name)
      ? Number(value)
      : name === 'bytes'
        ? String(value).replaceAll('\n', '')
        : value,
  ])
  return { table, ...Object.fromEntries(entries) } as StoreRow & { readonly stream: StreamId }
}
