import type { Digest } from '@rollcall/plugin'
import type { PostgresWork } from './create-postgres-store.ts'
import type { Store, StreamId } from './store.ts'

const pageSize = 512

/** The chains of links that the events of all writers are. */
export function createPostgresChains(work: PostgresWork): Pick<Store, 'chains' | 'links' | 'unchained' | 'prune'> {
  return {
    async chains() {
      const { rows } = await work.query(
        `SELECT c.chain, c.first, c.last, e.digest
         FROM (SELECT chain, min(link) AS first, max(link) AS last FROM events WHERE chain IS NOT NULL GROUP BY chain) AS c
         JOIN events AS e ON e.chain = c.chain AND e.link = c.last`,
      )
      return rows.map((row) => ({
        chain: row.chain as string,
        from: Number(row.first),
        to: Number(row.last),
        digest: row.digest as Digest,
      }))
    },

    async *links(chain, behind = 0) {
      let previous: Digest | '' = ''
      for (let after = behind; ; ) {
        const { rows } = await work.query(
          `SELECT link, digest, stream, sequence, at, event FROM events
           WHERE chain = $1 AND link > $2 ORDER BY link LIMIT ${pageSize}`,
          [chain, after],
        )
        if (rows.length === 0) return
        for (const row of rows) {
          const digest = row.digest as Digest
          const link = Number(row.link)
          yield {
            chain,
            link,
            previous,
            digest,
            stream: row.stream as StreamId,
            sequence: Number(row.sequence),
            at: Number(row.at),
            text: row.event as string,
          }
          previous = digest
          after = link
        }
      }
    },

    async unchained() {
      const { rows } = await work.query('SELECT count(*)::int AS rows FROM events WHERE chain IS NULL')
      return Number(rows[0]?.rows ?? 0)
    },

    prune: (cuts) =>
      work.inTransaction(async (query) => {
        let removed = 0
        for (const { chain, upTo } of cuts) {
          const { rowCount } = await query('DELETE FROM events WHERE chain = $1 AND link <= $2', [chain, upTo])
          removed += rowCount ?? 0
        }
        const left = 'SELECT 1 FROM events WHERE events.stream = heads.stream'
        await query(
          `DELETE FROM blobs WHERE stream IN (SELECT stream FROM heads WHERE length > 0 AND NOT EXISTS (${left}))`,
        )
        await query(`DELETE FROM heads WHERE length > 0 AND NOT EXISTS (${left})`)
        return removed
      }),
  }
}
