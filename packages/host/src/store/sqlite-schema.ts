import type { DatabaseSync } from 'node:sqlite'
import { RollcallError } from '@rollcall/plugin'
import type { SchemaVersions } from './store-row.ts'

/** The steps of the schema: step n leads from version n to n + 1. Steps add; a program one version older still runs. */
const steps = [
  `CREATE TABLE events (
     stream TEXT NOT NULL,
     sequence INTEGER NOT NULL,
     at INTEGER NOT NULL,
     event TEXT NOT NULL,
     PRIMARY KEY (stream, sequence)
   ) WITHOUT ROWID;
   CREATE TABLE heads (
     id INTEGER PRIMARY KEY,
     stream TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     length INTEGER NOT NULL,
     status TEXT NOT NULL,
     principal TEXT NOT NULL,
     due_at INTEGER,
     parent TEXT,
     key TEXT,
     working TEXT
   );
   CREATE INDEX heads_by_status ON heads (kind, status);
   CREATE INDEX heads_by_principal ON heads (kind, principal);
   CREATE INDEX heads_by_due ON heads (kind, due_at) WHERE due_at IS NOT NULL;
   CREATE INDEX heads_by_key ON heads (kind, key) WHERE key IS NOT NULL;
   CREATE TABLE settings (
     key TEXT PRIMARY KEY,
     value TEXT,
     version INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE blobs (
     digest TEXT NOT NULL,
     stream TEXT NOT NULL,
     principal TEXT NOT NULL,
     type TEXT NOT NULL,
     bytes BLOB NOT NULL,
     PRIMARY KEY (digest, principal, stream)
   );
   CREATE INDEX blobs_by_stream ON blobs (stream);`,
  `ALTER TABLE events ADD COLUMN chain TEXT;
   ALTER TABLE events ADD COLUMN link INTEGER;
   ALTER TABLE events ADD COLUMN digest TEXT;
   CREATE INDEX events_by_chain ON events (chain, link) WHERE chain IS NOT NULL;`,
]

/** A schema one version newer is readable: whoever makes a step promises it. */
const newestReadableVersion = steps.length + 1

/**
 * Brings the schema up to date, in one transaction and under the write lock, so that one process does it.
 *
 * @throws {RollcallError} `STORE_NEWER` for a schema that this program does not know.
 */
export function migrateSchema(database: DatabaseSync, file: string): SchemaVersions {
  if (schemaVersion(database) === steps.length) return { found: steps.length, version: steps.length }
  // Whoever called closes the database after a throw, and that rolls back.
  database.exec('BEGIN IMMEDIATE')
  const version = schemaVersion(database)
  if (version > newestReadableVersion) throw tooNew(file, version)
  for (const step of steps.slice(version)) database.exec(step)
  if (version < steps.length) database.exec(`PRAGMA user_version = ${steps.length}`)
  database.exec('COMMIT')
  return { found: version, version: Math.max(version, steps.length) }
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version)
}

function tooNew(file: string, version: number): RollcallError {
  return new RollcallError(
    'STORE_NEWER',
    `The store ${file} has schema version ${version}; this program knows versions up to ${newestReadableVersion}.`,
    { hint: 'Update Rollcall, or set `store` to another file.' },
  )
}
