import { join, resolve } from 'node:path'
import {
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
  isSealedStore,
  type Store,
  sealStore,
} from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'
import { expandVariables } from '@rollcall/plugin'
import { readStoreKeys } from './store-keys.ts'

/**
 * Opens the store of the configuration; without a word about it a SQLite file in the state folder. Sealed where the
 * configuration gives it a key.
 *
 * @throws {RollcallError} as `openBareStore`; `KEY_UNKNOWN`, `SECRET_MISSING`.
 */
export async function openStore(
  loaded: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Store> {
  const store = await openBareStore(loaded, env)
  try {
    const keys = await readStoreKeys(loaded, env, { mayMake: !(await isSealedStore(store)) })
    return await sealStore(store, keys)
  } catch (error) {
    await store[Symbol.asyncDispose]()
    throw error
  }
}

/**
 * Opens the store as it lies there: what is sealed stays so.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`, `STORE_NEWER`; `VARIABLE_MISSING` for an address that names one.
 */
export async function openBareStore(
  { config, folder, stateFolder }: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Store> {
  const { url: written, durability } = typeof config.store === 'object' ? config.store : { url: config.store }
  const url = written === undefined ? undefined : expandAddress(written, env)
  if (url === 'memory:') return createMemoryStore()
  if (url !== undefined && /^postgres(ql)?:/i.test(url)) return createPostgresStore({ url })
  const file = url === undefined ? join(stateFolder, 'rollcall.db') : resolve(folder, url.replace(/^sqlite:/, ''))
  return createSqliteStore({ file, ...(durability && { durability }) })
}

/** A password from the environment is a part of the address whatever characters it has; a whole address is taken as it is. */
function expandAddress(written: string, env: Readonly<Record<string, string | undefined>>): string {
  const [, user = '', rest = written] = /^(postgres(?:ql)?:\/\/.*@)(.*)$/is.exec(written) ?? []
  const encoded = (name: string) => (env[name] === undefined ? undefined : encodeURIComponent(env[name]))
  return expandVariables(user, encoded) + expandVariables(rest, (name) => env[name])
}
