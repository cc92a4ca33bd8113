import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Clock } from '../ports/clock.ts'
import { createChainWriter } from './chain-writer.ts'
import type { SqliteWork } from './create-sqlite-store.ts'
import { createGroupCommit } from './group-commit.ts'
import type { AppendedEvent, Head, HeadQuery, Store, StoredEvent, StreamId } from './store.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

const pageSize = 256
const maxKeptInserts = 8
const headColumns = 'stream, length, status, principal, due_at, parent, key'

type Row = Readonly<Record<string, unknown>>

/** One append on its way into the tables. */
interface PendingAppend {
  readonly stream: StreamId
  readonly expectedLength: number
  readonly texts: readonly string[]
  readonly head: Omit<Head, 'stream' | 'length'>
  readonly workingText: string | null
  readonly at: number
}

/** Streams and their heads, in the tables `events` and `heads`. */
export function createSqliteStreams(
  database: DatabaseSync,
  work: SqliteWork,
  clock: Clock,
): Pick<Store, 'append' | 'working' | 'read' | 'head' | 'heads' | 'chain'> & { flush(): void } {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const selectLength = database.prepare('SELECT length FROM heads WHERE stream = ?')
  const selectWorking = database.prepare('SELECT working FROM heads WHERE stream = ?')
  const selectHead = database.prepare(`SELECT ${headColumns} FROM heads WHERE stream = ?`)
  const selectEvents = database.prepare(
    `SELECT sequence, at, event FROM events WHERE stream = ? AND sequence > ? AND sequence <= ?
     ORDER BY sequence LIMIT ${pageSize}`,
  )
  const insertHead = database.prepare(
    `INSERT INTO heads (stream, kind, length, status, principal, due_at, parent, key, working)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const updateHead = database.prepare(
    `UPDATE heads SET length = ?, status = ?, principal = ?, due_at = ?, parent = ?, key = ?, working = ?
     WHERE stream = ?`,
  )
  const writer = createChainWriter()
  const queries = new Map<string, StatementSync>()
  const inserts = new Map<number, StatementSync>()

  /** All events of one append by one statement: half the time of one each. */
  const insertEvents = (stream: StreamId, after: number, at: number, texts: readonly string[]) => {
    if (texts.length === 0) return
    const rows = Array.from(texts, () => '(?, ?, ?, ?, ?, ?, ?)').join(', ')
    const statement =
      inserts.get(texts.length) ??
      database.prepare(`INSERT INTO events (stream, sequence, at, event, chain, link, digest) VALUES ${rows}`)
    if (texts.length <= maxKeptInserts) inserts.set(texts.length, statement)
    const linked = texts.flatMap((text, index) => {
      const sequence = after + index + 1
      const { link, digest } = writer.next({ stream, sequence, at, text })
      return [stream, sequence, at, text, writer.id, link, digest]
    })
    statement.run(...linked)
  }

  const inTransaction = <T>(change: () => T): T => {
    begin.run()
    const { link, digest } = writer
    try {
      const result = change()
      commit.run()
      return result
    } catch (error) {
      rollBack()
      // What was not written is no link.
      writer.rewind({ link, digest })
      throw error
    }
  }

  const rollBack = () => {
    try {
      rollback.run()
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }

  const appendNow = (one: PendingAppend): 'appended' | 'conflict' => {
    const { stream, expectedLength, texts, head, workingText, at } = one
    const knownLength = lengthOf(stream)
    if ((knownLength ?? 0) !== expectedLength) return 'conflict'
    insertEvents(stream, expectedLength, at, texts)
    const length = expectedLength + texts.length
    const rest = [head.dueAt ?? null, head.parent ?? null, head.key ?? null, workingText] as const
    if (knownLength === undefined) insertHead.run(stream, kindOf(stream), length, head.status, head.principal, ...rest)
    else updateHead.run(length, head.status, head.principal, ...rest, stream)
    return 'appended'
  }
  const appends = createGroupCommit<PendingAppend, 'appended' | 'conflict'>({
    apply: appendNow,
    transaction: (change) => work(() => inTransaction(change)),
  })

  const lengthOf = (stream: StreamId) => selectLength.get(stream)?.length as number | undefined

  return {
    async append(stream, expectedLength, events, head, working) {
      const texts = events.map(toStoredJson)
      const workingText = working === undefined ? null : toStoredJson(working)
      // A closed store refuses at once, not a turn later.
      return work(() => appends.add({ stream, expectedLength, texts, head, workingText, at: clock.now() }))
    },
    flush: appends.flush,
    chain: writer,

    async working(stream) {
      const text = work(() => selectWorking.get(stream)?.working)
      return typeof text === 'string' ? fromStoredJson(text) : undefined
    },

    async *read(stream, after = 0) {
      // Read page by page: no statement stays open while the reader does something else.
      const last = work(() => lengthOf(stream)) ?? 0
      for (let from = after; from < last; ) {
        const rows = work(() => selectEvents.all(stream, from, last))
        if (rows.length === 0) return
        for (const row of rows) yield toStoredEvent(stream, row)
        from = rows.at(-1)?.sequence as number
      }
    },

    async head(stream) {
      const row = work(() => selectHead.get(stream))
      return row && toHead(row)
    },

    async heads(query) {
      const { where, values } = toCondition(query)
      return work(() => {
        const statement =
          queries.get(where) ?? database.prepare(`SELECT ${headColumns} FROM heads WHERE ${where} ORDER BY id`)
        queries.set(where, statement)
        return statement.all(...values).map(toHead)
      })
    },
  }
}

function kindOf(stream: StreamId): string {
  return stream.slice(0, stream.indexOf('/'))
}

function toCondition({ kind, status, principal, key, dueBefore }: HeadQuery) {
  const parts: readonly (readonly [condition: string, value: SQLInputValue | undefined])[] = [
    ['kind = ?', kind],
    ['status = ?', status],
    ['principal = ?', principal],
    ['key = ?', key],
    ['due_at < ?', dueBefore],
  ]
  const given = parts.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  return {
    where: given.map(({ condition }) => condition).join(' AND '),
    values: given.map(({ value }) => value),
  }
}

function toStoredEvent(stream: StreamId, row: Row): StoredEvent {
  const event = fromStoredJson(row.event as string) as unknown as AppendedEvent
  return { stream, sequence: row.sequence as number, at: row.at as number, v: 1, event }
}

function toHead(row: Row): Head {
  return {
    stream: row.stream as StreamId,
    length: row.length as number,
    status: row.status as string,
    principal: row.principal as string,
    ...(row.due_at !== null && { dueAt: row.due_at as number }),
    ...(row.parent !== null && { parent: row.parent as StreamId }),
    ...(row.key !== null && { key: row.key as string }),
  }
}
