import type { DatabaseSync } from 'node:sqlite'
import type { Digest } from '@rollcall/plugin'
import type { SqliteWork } from './create-sqlite-store.ts'
import type { ChainLink, Store, StreamId } from './store.ts'

const pageSize = 512

/** The chains of links that the events of all writers are. */
export function createSqliteChains(
  database: DatabaseSync,
  work: SqliteWork,
): Pick<Store, 'chains' | 'links' | 'unchained' | 'prune'> {
  const selectChains = database.prepare(
    `SELECT c.chain, c.first, c.last, e.digest
     FROM (SELECT chain, min(link) AS first, max(link) AS last FROM events WHERE chain IS NOT NULL GROUP BY chain) AS c
     JOIN events AS e ON e.chain = c.chain AND e.link = c.last`,
  )
  const selectLinks = database.prepare(
    `SELECT chain, link, digest, stream, sequence, at, event FROM events
     WHERE chain = ? AND link > ? ORDER BY link LIMIT ${pageSize}`,
  )
  const countUnchained = database.prepare('SELECT count(*) AS rows FROM events WHERE chain IS NULL')
  const remove = database.prepare('DELETE FROM events WHERE chain = ? AND link <= ?')
  const removeBlobs = database.prepare(
    `DELETE FROM blobs WHERE stream IN
     (SELECT stream FROM heads WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.stream = heads.stream))`,
  )
  const removeHeads = database.prepare(
    'DELETE FROM heads WHERE length > 0 AND NOT EXISTS (SELECT 1 FROM events WHERE events.stream = heads.stream)',
  )

  return {
    async chains() {
      return work(() => selectChains.all()).map((row) => ({
        chain: row.chain as string,
        from: row.first as number,
        to: row.last as number,
        digest: row.digest as Digest,
      }))
    },

    async *links(chain, behind = 0) {
      let previous: Digest | '' = ''
      for (let after = behind; ; ) {
        const rows = work(() => selectLinks.all(chain, after))
        if (rows.length === 0) return
        for (const row of rows) {
          const link: ChainLink = {
            chain,
            link: row.link as number,
            previous,
            digest: row.digest as Digest,
            stream: row.stream as StreamId,
            sequence: row.sequence as number,
            at: row.at as number,
            text: row.event as string,
          }
          yield link
          previous = link.digest
          after = link.link
        }
      }
    },

    async unchained() {
      return work(() => Number(countUnchained.get()?.rows))
    },

    async prune(cuts) {
      return work(() => {
        database.exec('BEGIN IMMEDIATE')
        try {
          let removed = 0
          for (const { chain, upTo } of cuts) removed += Number(remove.run(chain, upTo).changes)
          removeBlobs.run()
          removeHeads.run()
          database.exec('COMMIT')
          return removed
        } catch (error) {
          database.exec('ROLLBACK')
          throw error
        }
      })
    },
  }
}
