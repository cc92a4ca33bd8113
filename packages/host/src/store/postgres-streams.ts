import type { Clock } from '../ports/clock.ts'
import { createChainWriter } from './chain-writer.ts'
import type { PostgresWork, Query } from './create-postgres-store.ts'
import type { AppendedEvent, Head, HeadQuery, Store, StoredEvent, StreamId } from './store.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

const pageSize = 256
const headColumns = 'stream, length, status, principal, due_at, parent, key'

type Row = Readonly<Record<string, unknown>>

interface PendingAppend {
  readonly stream: StreamId
  readonly expectedLength: number
  readonly texts: readonly string[]
  readonly head: Omit<Head, 'stream' | 'length'>
  readonly working: string | null
  readonly at: number
  resolve(result: 'appended' | 'conflict'): void
  reject(error: unknown): void
}

// The head is moved by compare-and-set; events come with it or not at all, in one statement and so in one round trip.
const values = '$1, $2, $3::int, $4, $5, $6::bigint, $7, $8, $9'
const moved = 'kind = $2, length = $3, status = $4, principal = $5, due_at = $6, parent = $7, key = $8, working = $9'
const added = `added AS (
  INSERT INTO events (stream, sequence, at, event, chain, link, digest)
  SELECT $1, n.sequence, $11::bigint, n.event, $12, n.link, n.digest
  FROM moved, unnest($13::int[], $14::text[], $15::bigint[], $16::text[]) AS n (sequence, event, link, digest)
)`
const appendNew = `WITH moved AS (
  INSERT INTO heads (stream, kind, length, status, principal, due_at, parent, key, working) VALUES (${values})
  ON CONFLICT (stream) DO UPDATE SET ${moved} WHERE heads.length = $10 RETURNING 1
), ${added} SELECT count(*)::int AS moved FROM moved`
const appendKnown = `WITH moved AS (
  UPDATE heads SET ${moved} WHERE stream = $1 AND length = $10 RETURNING 1
), ${added} SELECT count(*)::int AS moved FROM moved`

/** Streams and their heads, in the tables `events` and `heads`. */
export function createPostgresStreams(
  work: PostgresWork,
  clock: Clock,
): Pick<Store, 'append' | 'working' | 'read' | 'head' | 'heads' | 'chain'> & { idle(): Promise<void> } {
  const writer = createChainWriter()
  let waiting: PendingAppend[] = []
  let writing: Promise<void> | undefined

  const appendNow = async (query: Query, one: PendingAppend): Promise<'appended' | 'conflict'> => {
    const { stream, expectedLength, texts, head, working, at } = one
    const before = { link: writer.link, digest: writer.digest }
    const sequences = texts.map((_, index) => expectedLength + index + 1)
    const links = texts.map((text, index) => writer.next({ stream, sequence: expectedLength + index + 1, at, text }))
    const { rows } = await query(expectedLength === 0 ? appendNew : appendKnown, [
      stream,
      kindOf(stream),
      expectedLength + texts.length,
      head.status,
      head.principal,
      head.dueAt ?? null,
      head.parent ?? null,
      head.key ?? null,
      working,
      expectedLength,
      at,
      writer.id,
      sequences,
      texts,
      links.map(({ link }) => link),
      links.map(({ digest }) => digest),
    ])
    if (rows[0]?.moved === 1) return 'appended'
    // What was not written is no link.
    writer.rewind(before)
    return 'conflict'
  }

  /** Appends that wait together share one transaction; one that fails there is tried alone. */
  const commit = async (group: readonly PendingAppend[]): Promise<void> => {
    const before = { link: writer.link, digest: writer.digest }
    try {
      const results = await work.inTransaction(async (query) => {
        const made: ('appended' | 'conflict')[] = []
        for (const one of group) made.push(await appendNow(query, one))
        return made
      })
      for (const [index, one] of group.entries()) one.resolve(results[index] ?? 'conflict')
    } catch (error) {
      writer.rewind(before)
      if (group.length === 1) group[0]?.reject(error)
      else for (const one of group) await commit([one])
    }
  }

  const write = async () => {
    while (waiting.length > 0) {
      // In one order for all processes, so that no two wait for each other.
      const group = waiting.toSorted((one, other) => (one.stream < other.stream ? -1 : 1))
      waiting = []
      await commit(group)
    }
    writing = undefined
  }

  return {
    append(stream, expectedLength, events, head, working) {
      return work.open(async () => {
        const texts = events.map(toStoredJson)
        const kept = working === undefined ? null : toStoredJson(working)
        // No stream has such a length, and the database would refuse the number itself.
        if (!Number.isSafeInteger(expectedLength)) return 'conflict'
        const { promise, resolve, reject } = Promise.withResolvers<'appended' | 'conflict'>()
        waiting.push({ stream, expectedLength, texts, head, working: kept, at: clock.now(), resolve, reject })
        writing ??= write()
        return await promise
      })
    },
    chain: writer,
    async idle() {
      await writing
    },

    async working(stream) {
      const { rows } = await work.query('SELECT working FROM heads WHERE stream = $1', [stream])
      const text = rows[0]?.working
      return typeof text === 'string' ? fromStoredJson(text) : undefined
    },

    async *read(stream, after = 0) {
      const { rows } = await work.query('SELECT length FROM heads WHERE stream = $1', [stream])
      const last = Number(rows[0]?.length ?? 0)
      for (let from = after; from < last; ) {
        const page = await work.query(
          `SELECT sequence, at, event FROM events WHERE stream = $1 AND sequence > $2 AND sequence <= $3
           ORDER BY sequence LIMIT ${pageSize}`,
          [stream, from, last],
        )
        if (page.rows.length === 0) return
        for (const row of page.rows) yield toStoredEvent(stream, row)
        from = Number(page.rows.at(-1)?.sequence)
      }
    },

    async head(stream) {
      const { rows } = await work.query(`SELECT ${headColumns} FROM heads WHERE stream = $1`, [stream])
      return rows[0] && toHead(rows[0])
    },

    async heads(query) {
      const { where, given } = toCondition(query)
      const { rows } = await work.query(`SELECT ${headColumns} FROM heads WHERE ${where} ORDER BY id`, given)
      return rows.map(toHead)
    },
  }
}

function kindOf(stream: StreamId): string {
  return stream.slice(0, stream.indexOf('/'))
}

function toCondition({ kind, status, principal, key, dueBefore }: HeadQuery) {
  const parts: readonly (readonly [condition: string, value: string | number | undefined])[] = [
    ['kind =', kind],
    ['status =', status],
    ['principal =', principal],
    ['key =', key],
    ['due_at <', dueBefore],
  ]
  const given = parts.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  return {
    where: given.map(({ condition }, index) => `${condition} $${index + 1}`).join(' AND '),
    given: given.map(({ value }) => value),
  }
}

function toStoredEvent(stream: StreamId, row: Row): StoredEvent {
  const event = fromStoredJson(row.event as string) as unknown as AppendedEvent
  return { stream, sequence: Number(row.sequence), at: Number(row.at), v: 1, event }
}

function toHead(row: Row): Head {
  return {
    stream: row.stream as StreamId,
    length: Number(row.length),
    status: row.status as string,
    principal: row.principal as string,
    ...(row.due_at !== null && { dueAt: Number(row.due_at) }),
    ...(row.parent !== null && { parent: row.parent as StreamId }),
    ...(row.key !== null && { key: row.key as string }),
  }
}
