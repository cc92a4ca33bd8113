import type { PostgresWork } from './create-postgres-store.ts'
import type { Settings } from './store.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

/**
 * Small versioned rows, in the table `settings`. A removed row keeps its version, so that an old version never fits
 * a row that was written anew.
 */
export function createPostgresSettings(work: PostgresWork): Settings {
  const changed = async (text: string, given: readonly unknown[]) => (await work.query(text, given)).rowCount === 1
  const isThere = async (key: string) =>
    (await work.query('SELECT 1 FROM settings WHERE key = $1 AND value IS NOT NULL', [key])).rows.length > 0
  const write = `INSERT INTO settings (key, value, version) VALUES ($1, $2, 1)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = settings.version + 1`

  return {
    async get(key) {
      const { rows } = await work.query('SELECT value, version FROM settings WHERE key = $1 AND value IS NOT NULL', [
        key,
      ])
      const [row] = rows
      return row && { value: fromStoredJson(row.value as string), version: Number(row.version) }
    },

    async set(key, value, expected) {
      const text = value === null ? null : toStoredJson(value)
      if (expected === undefined) {
        if (text === null)
          await work.query('UPDATE settings SET value = NULL, version = version + 1 WHERE key = $1', [key])
        else await work.query(write, [key, text])
        return true
      }
      if (expected !== 0) {
        return await changed(
          'UPDATE settings SET value = $2, version = version + 1 WHERE key = $1 AND version = $3 AND value IS NOT NULL',
          [key, text, expected],
        )
      }
      if (text === null) return !(await isThere(key))
      return await changed(`${write} WHERE settings.value IS NULL`, [key, text])
    },

    async list(prefix) {
      const { rows } = await work.query(
        'SELECT key, value FROM settings WHERE starts_with(key, $1) AND value IS NOT NULL ORDER BY key',
        [prefix],
      )
      return rows.map(({ key, value }) => [key as string, fromStoredJson(value as string)] as const)
    },
  }
}
