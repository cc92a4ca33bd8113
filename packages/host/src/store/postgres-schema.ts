import { RollcallError } from '@rollcall/plugin'
import type { PoolClient } from 'pg'
import type { SchemaVersions } from './store-row.ts'

/** The steps of the schema: step n leads from version n to n + 1. Steps add; a program one version older still runs. */
const steps = [
  `CREATE TABLE events (
     stream TEXT NOT NULL,
     sequence INTEGER NOT NULL,
     at BIGINT NOT NULL,
     event TEXT NOT NULL,
     chain TEXT,
     link BIGINT,
     digest TEXT,
     PRIMARY KEY (stream, sequence)
   );
   CREATE INDEX events_by_chain ON events (chain, link) WHERE chain IS NOT NULL;
   CREATE TABLE heads (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     stream TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     length INTEGER NOT NULL,
     status TEXT NOT NULL,
     principal TEXT NOT NULL,
     due_at BIGINT,
     parent TEXT,
     key TEXT,
     working TEXT
   );
   CREATE INDEX heads_by_status ON heads (kind, status);
   CREATE INDEX heads_by_principal ON heads (kind, principal);
   CREATE INDEX heads_by_due ON heads (kind, due_at) WHERE due_at IS NOT NULL;
   CREATE INDEX heads_by_key ON heads (kind, key) WHERE key IS NOT NULL;
   CREATE TABLE settings (
     key TEXT COLLATE "C" PRIMARY KEY,
     value TEXT,
     version INTEGER NOT NULL
   );
   CREATE TABLE blobs (
     digest TEXT NOT NULL,
     stream TEXT NOT NULL,
     principal TEXT NOT NULL,
     type TEXT NOT NULL,
     bytes BYTEA NOT NULL,
     PRIMARY KEY (digest, principal, stream)
   );
   CREATE INDEX blobs_by_stream ON blobs (stream);`,
]

/** A schema one version newer is readable: whoever makes a step promises it. */
const newestReadableVersion = steps.length + 1
/** The lock that one program holds while it changes the schema: "roll" as a number. */
const lockId = 0x726f6c6c

/**
 * Brings the schema up to date, in one transaction and under a lock, so that one process does it.
 *
 * @throws {RollcallError} `STORE_NEWER` for a schema that this program does not know.
 */
export async function migratePostgres(client: PoolClient): Promise<SchemaVersions> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockId])
    await client.query('CREATE TABLE IF NOT EXISTS rollcall_schema (version INTEGER NOT NULL)')
    const { rows } = await client.query<{ version: number }>('SELECT version FROM rollcall_schema')
    const version = rows[0]?.version ?? 0
    if (version > newestReadableVersion) throw tooNew(version)
    for (const step of steps.slice(version)) await client.query(step)
    if (rows.length === 0) await client.query('INSERT INTO rollcall_schema (version) VALUES ($1)', [steps.length])
    else if (version < steps.length) await client.query('UPDATE rollcall_schema SET version = $1', [steps.length])
    await client.query('COMMIT')
    return { found: version, version: Math.max(version, steps.length) }
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

function tooNew(version: number): RollcallError {
  return new RollcallError(
    'STORE_NEWER',
    `The database has schema version ${version}; this program knows versions up to ${newestReadableVersion}.`,
    { hint: 'Update Rollcall, or set `store` to another database.' },
  )
}
