import type { DatabaseSync } from 'node:sqlite'
import type { SqliteWork } from './create-sqlite-store.ts'
import type { Settings } from './store.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

/**
 * Small versioned rows, in the table `settings`. A removed row keeps its version, so that an old version never fits
 * a row that was written anew.
 */
export function createSqliteSettings(database: DatabaseSync, work: SqliteWork): Settings {
  const select = database.prepare('SELECT value, version FROM settings WHERE key = ? AND value IS NOT NULL')
  const selectFrom = database.prepare(
    'SELECT key, value FROM settings WHERE key >= ? AND value IS NOT NULL ORDER BY key',
  )
  const write = database.prepare(
    `INSERT INTO settings (key, value, version) VALUES (?, ?, 1)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = version + 1`,
  )
  const writeNew = database.prepare(
    `INSERT INTO settings (key, value, version) VALUES (?, ?, 1)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = version + 1 WHERE settings.value IS NULL`,
  )
  const writeVersion = database.prepare(
    'UPDATE settings SET value = ?, version = version + 1 WHERE key = ? AND version = ? AND value IS NOT NULL',
  )
  const remove = database.prepare('UPDATE settings SET value = NULL, version = version + 1 WHERE key = ?')

  return {
    async get(key) {
      const row = work(() => select.get(key))
      return row && { value: fromStoredJson(row.value as string), version: row.version as number }
    },

    async set(key, value, expected) {
      const text = value === null ? null : toStoredJson(value)
      return work(() => {
        if (expected === undefined) {
          if (text === null) remove.run(key)
          else write.run(key, text)
          return true
        }
        if (expected !== 0) return writeVersion.run(text, key, expected).changes === 1
        if (text === null) return select.get(key) === undefined
        return writeNew.run(key, text).changes === 1
      })
    },

    async list(prefix) {
      return work(() => {
        const found: (readonly [string, string])[] = []
        // Keys with the prefix follow each other in key order; a pattern would have to escape `%` and `_`.
        for (const { key, value } of selectFrom.iterate(prefix)) {
          if (!(key as string).startsWith(prefix)) break
          found.push([key as string, value as string])
        }
        return found.map(([key, text]) => [key, fromStoredJson(text)] as const)
      })
    },
  }
}
