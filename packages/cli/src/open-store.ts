import { join, resolve } from 'node:path'
import { createMemoryStore, createSqliteStore, type Store } from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'

/** Opens the store of the configuration; without a word about it a SQLite file in the state folder. */
export async function openStore({ config, folder, stateFolder }: LoadedConfig): Promise<Store> {
  const { url, durability } = typeof config.store === 'string' ? { url: config.store } : { ...config.store }
  if (url === 'memory:') return createMemoryStore()
  const file = url === undefined ? join(stateFolder, 'rollcall.db') : resolve(folder, url.replace(/^sqlite:/, ''))
  return createSqliteStore({ file, ...(durability && { durability }) })
}
