import type { Settings } from './store.ts'
import type { StoreRow } from './store-row.ts'
import { fromStoredJson, toStoredJson } from './stored-json.ts'

/** A removed row keeps its version, so that an old version never fits a row that was written anew. */
export type MemorySettingRows = Map<string, { readonly text: string | undefined; readonly version: number }>

/** Small versioned rows, in a map. */
export function createMemorySettings(rows: MemorySettingRows, assertOpen: () => void): Settings {
  return {
    async get(key) {
      assertOpen()
      const row = rows.get(key)
      return row?.text === undefined ? undefined : { value: fromStoredJson(row.text), version: row.version }
    },

    async set(key, value, expected) {
      assertOpen()
      const text = value === null ? undefined : toStoredJson(value)
      const row = rows.get(key)
      if (expected !== undefined && expected !== (row?.text === undefined ? 0 : row.version)) return false
      if (text !== undefined || row !== undefined) rows.set(key, { text, version: (row?.version ?? 0) + 1 })
      return true
    },

    async list(prefix) {
      assertOpen()
      return [...rows]
        .flatMap(([key, { text }]) => (text !== undefined && key.startsWith(prefix) ? [[key, text] as const] : []))
        .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
        .map(([key, text]) => [key, fromStoredJson(text)] as const)
    },
  }
}

/** The rows as they are dumped. */
export function* dumpSettings(rows: MemorySettingRows): Iterable<StoreRow> {
  for (const [key, { text, version }] of rows) yield { table: 'settings', key, value: text ?? null, version }
}
