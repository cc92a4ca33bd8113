import type { Settings } from '@rollcall/host'
import type { Json } from '@rollcall/plugin'

/** The settings of a store, in memory: a port of the host, so that these tests need no host. */
export function memorySettings(): Settings {
  const rows = new Map<string, { readonly value: Json; readonly version: number }>()
  return {
    get: async (key) => rows.get(key),
    async set(key, value, expected) {
      const version = rows.get(key)?.version ?? 0
      if (expected !== undefined && expected !== version) return false
      if (value === null) rows.delete(key)
      else rows.set(key, { value, version: version + 1 })
      return true
    },
    list: async (prefix) =>
      [...rows].filter(([key]) => key.startsWith(prefix)).map(([key, { value }]) => [key, value] as const),
  }
}
