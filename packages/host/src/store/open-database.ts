import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { RollcallError } from '@rollcall/plugin'
import { migrateSchema } from './sqlite-schema.ts'
import type { SchemaVersions } from './store-row.ts'

const busyTimeoutMs = 5_000
/** 16 MB: a checkpoint waits for the disk, and writes a page that changed often only once. */
const checkpointPages = 4_000
const isWindows = process.platform === 'win32'

export interface DatabaseOptions {
  readonly file: string
  readonly durability: 'normal' | 'full'
}

/** An open database, and a way to open it once more. */
export interface OpenedDatabase {
  readonly database: DatabaseSync
  readonly schema: SchemaVersions
  connect(): DatabaseSync
}

/**
 * Opens the SQLite file, private to its owner, and brings its schema up to date.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`, `STORE_NEWER`, or `NODE_UNSUPPORTED` where Node has no SQLite.
 */
export async function openDatabase({ file, durability }: DatabaseOptions): Promise<OpenedDatabase> {
  const { DatabaseSync } = loadSqlite()
  let database: DatabaseSync | undefined
  try {
    await makePrivateFile(file)
    database = new DatabaseSync(file)
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    await setJournalMode(database)
    database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    const schema = migrateSchema(database, file)
    const connect = () => {
      const more = new DatabaseSync(file)
      more.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      return more
    }
    return { database, schema, connect }
  } catch (cause) {
    database?.close()
    if (cause instanceof RollcallError) throw cause
    throw new RollcallError('STORE_UNAVAILABLE', `The store ${file} can not be opened.`, {
      hint: 'Check that the path is a Rollcall store, its permissions and the free space, or set `store` to another file.',
      cause,
    })
  }
}

function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning
  // Node 22 calls the module experimental when it is first loaded; all other warnings pass.
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    const sqlite = process.getBuiltinModule('node:sqlite')
    if (sqlite !== undefined) return sqlite
  } finally {
    process.emitWarning = emitWarning
  }
  throw new RollcallError('NODE_UNSUPPORTED', `Node ${process.version} has no SQLite.`, {
    hint: 'Run it through pnpm in the project, or install Node 22.13 or newer.',
  })
}

/** SQLite gives the files beside it (`-wal`, `-shm`) the permissions of the database. */
async function makePrivateFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'a', 0o600)
  await handle.close()
  if (!isWindows) await chmod(file, 0o600)
}

/** Going over to WAL needs the file for itself, and SQLite does not wait for that by its own time-out. */
async function setJournalMode(database: DatabaseSync): Promise<void> {
  const deadline = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error
      await delay(10)
    }
  }
}

function isLocked(error: unknown): boolean {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode
  // The low byte is the primary code: SQLITE_BUSY 5, SQLITE_LOCKED 6.
  return typeof code === 'number' && [5, 6].includes(code & 0xff)
}
