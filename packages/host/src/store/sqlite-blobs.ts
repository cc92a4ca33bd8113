import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Digest } from '@rollcall/plugin'
import type { SqliteWork } from './create-sqlite-store.ts'
import type { Blobs } from './store.ts'

/** Whole results by digest and owner, in the table `blobs`. */
export function createSqliteBlobs(database: DatabaseSync, work: SqliteWork): Blobs {
  const insert = database.prepare(
    'INSERT INTO blobs (digest, stream, principal, type, bytes) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const select = database.prepare('SELECT bytes FROM blobs WHERE digest = ? AND principal = ? LIMIT 1')
  const remove = database.prepare('DELETE FROM blobs WHERE stream = ?')

  return {
    async put(bytes, type, { stream, principal }, given) {
      const digest: Digest = given ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      work(() => insert.run(digest, stream, principal, type, bytes))
      return digest
    },

    async get(digest, { principal }) {
      return work(() => select.get(digest, principal)?.bytes as Uint8Array | undefined)
    },

    async drop(stream) {
      work(() => remove.run(stream))
    },
  }
}
