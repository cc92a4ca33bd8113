import { createHash } from 'node:crypto'
import type { Digest } from '@rollcall/plugin'
import type { PostgresWork } from './create-postgres-store.ts'
import type { Blobs } from './store.ts'

/** Whole results by digest and owner, in the table `blobs`. */
export function createPostgresBlobs(work: PostgresWork): Blobs {
  return {
    async put(bytes, type, { stream, principal }, given) {
      const digest: Digest = given ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      const insert =
        'INSERT INTO blobs (digest, stream, principal, type, bytes) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING'
      await work.query(insert, [digest, stream, principal, type, Buffer.from(bytes)])
      return digest
    },

    async get(digest, { principal }) {
      const select = 'SELECT bytes FROM blobs WHERE digest = $1 AND principal = $2 LIMIT 1'
      const { rows } = await work.query(select, [digest, principal])
      const bytes = rows[0]?.bytes
      return bytes instanceof Uint8Array ? new Uint8Array(bytes) : undefined
    },

    async drop(stream) {
      await work.query('DELETE FROM blobs WHERE stream = $1', [stream])
    },
  }
}
