import { RollcallError } from '@rollcall/plugin'
import type { Pool, PoolClient, QueryResult } from 'pg'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import { createPostgresBlobs } from './postgres-blobs.ts'
import { createPostgresChains } from './postgres-chains.ts'
import { createPostgresRows } from './postgres-rows.ts'
import { migratePostgres } from './postgres-schema.ts'
import { createPostgresSettings } from './postgres-settings.ts'
import { createPostgresStreams } from './postgres-streams.ts'
import type { Store } from './store.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  readonly clock?: Clock
}

export type Query = (text: string, values?: readonly unknown[]) => Promise<QueryResult<Record<string, unknown>>>

/** Runs work on the database; its faults become `STORE_UNAVAILABLE`, and say nothing of the address. */
export interface PostgresWork {
  readonly query: Query
  inTransaction<T>(change: (query: Query) => Promise<T>): Promise<T>
  /** A connection for whoever needs the same one for long. */
  session(): Promise<{ readonly query: Query } & AsyncDisposable>
  /** Refuses once the store is closed. */
  open<T>(task: () => Promise<T>): Promise<T>
}

const connections = 4
const connectTimeoutMs = 10_000
const statementTimeoutMs = 30_000

/**
 * Makes a store over a PostgreSQL database, whose tables it makes and brings up to date. Several processes, on several
 * machines, may use it at once. A server that was away is used again when it is back.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE` when it can't be reached, `STORE_NEWER` when a newer program wrote it.
 */
export async function createPostgresStore({ url, clock = systemClock }: PostgresStoreOptions): Promise<Store> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'rollcall',
    allowExitOnIdle: true,
  })
  // A connection that breaks while nobody uses it is replaced at the next use.
  pool.on('error', ignore)
  let isClosed = false
  const open = async <T>(task: () => Promise<T>): Promise<T> => {
    if (isClosed) {
      throw new RollcallError('STORE_UNAVAILABLE', 'The store in PostgreSQL is closed.', {
        hint: 'Close the host before its store, or open the store again.',
      })
    }
    try {
      return await task()
    } catch (error) {
      throw unavailable(error)
    }
  }
  const work: PostgresWork = {
    open,
    query: (text, values = []) => open(() => pool.query(text, [...values])),
    inTransaction: (change) => open(() => withClient(pool, (client) => transaction(client, change))),
    async session() {
      const client = await open(() => pool.connect())
      client.on('error', ignore)
      return {
        query: (text, values = []) => open(() => client.query(text, [...values])),
        async [Symbol.asyncDispose]() {
          client.off('error', ignore)
          // Closed, not reused: nobody knows in what state it was left.
          client.release(true)
        },
      }
    },
  }

  const schema = await withClient(pool, migratePostgres).catch(async (error: unknown) => {
    await pool.end()
    throw unavailable(error)
  })
  const { idle, ...streams } = createPostgresStreams(work, clock)
  return {
    ...streams,
    ...createPostgresChains(work),
    settings: createPostgresSettings(work),
    blobs: createPostgresBlobs(work),
    rows: createPostgresRows(work, schema),

    async [Symbol.asyncDispose]() {
      if (isClosed) return
      await idle()
      isClosed = true
      await pool.end()
    },
  }
}

/** The next query tells whoever waits. */
function ignore(): void {}

async function withClient<T>(pool: Pool, task: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: unknown
  // Its end is told to whoever waits for an answer, too.
  const onError = (error: unknown) => {
    broken = error
  }
  client.on('error', onError)
  try {
    return await task(client)
  } catch (error) {
    if (isGone(error)) broken = error
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken !== undefined)
  }
}

async function transaction<T>(client: PoolClient, change: (query: Query) => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await change((text, values = []) => client.query(text, [...values]))
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Errors of the server have a code of five characters; anything else is the connection's. */
function isGone(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code !== 'string' || code.length !== 5 || code.startsWith('57P') || code.startsWith('08')
}

function unavailable(error: unknown): RollcallError {
  if (error instanceof RollcallError) return error
  const code = (error as { readonly code?: unknown } | null)?.code
  // The driver's own words may hold the address, and with it a password.
  const what = typeof code === 'string' ? ` (${code})` : ''
  return new RollcallError('STORE_UNAVAILABLE', `The store in PostgreSQL can not be read or written${what}.`, {
    hint: 'Check that the server runs, the address in `store`, the password, and the rights on the database.',
  })
}
