import { RollcallError } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { systemClock } from '../ports/system-clock.ts'
import { openDatabase } from './open-database.ts'
import { createSqliteBlobs } from './sqlite-blobs.ts'
import { createSqliteChains } from './sqlite-chains.ts'
import { createSqliteRows } from './sqlite-rows.ts'
import { createSqliteSettings } from './sqlite-settings.ts'
import { createSqliteStreams } from './sqlite-streams.ts'
import type { Store } from './store.ts'

export interface SqliteStoreOptions {
  /** Path of the database; its folder is made when it is missing. */
  readonly file: string
  readonly clock?: Clock
  /**
   * `normal` (default): a commit survives a killed process, the last ones may be lost when the power fails.
   * `full`: they survive that too, and each takes about ten times as long.
   */
  readonly durability?: 'normal' | 'full'
}

/** Runs one piece of work on the open database; its faults become `STORE_UNAVAILABLE`. */
export type SqliteWork = <T>(task: () => T) => T

/**
 * Makes a store over one SQLite file. Several processes may use the file at once.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE` when the file can't be opened, `STORE_NEWER` when a newer program wrote it.
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, clock = systemClock, durability = 'normal' } = options
  const { database, connect, schema } = await openDatabase({ file, durability })
  let isClosed = false
  const work: SqliteWork = (task) => {
    if (isClosed)
      throw new RollcallError('STORE_UNAVAILABLE', `The store ${file} is closed.`, {
        hint: 'Close the host before its store, or open the store again.',
      })
    try {
      return task()
    } catch (cause) {
      if (cause instanceof RollcallError) throw cause
      throw new RollcallError('STORE_UNAVAILABLE', `The store ${file} can not be read or written.`, {
        hint: 'Check its permissions and the free space, and that no program holds it locked.',
        cause,
      })
    }
  }

  const { flush, ...streams } = createSqliteStreams(database, work, clock)
  return {
    ...streams,
    ...createSqliteChains(database, work),
    settings: createSqliteSettings(database, work),
    blobs: createSqliteBlobs(database, work),
    rows: createSqliteRows({ database, work, connect, schema }),

    async [Symbol.asyncDispose]() {
      if (isClosed) return
      flush()
      isClosed = true
      database.close()
    },
  }
}
