import { join, resolve } from 'node:path'
import { createMemoryStore, createPostgresStore, createSqliteStore, type Store } from '@rollcall/host'
import type { LoadedConfig } from '@rollcall/host/config'
import { expandVariables } from '@rollcall/plugin'

/**
 * Opens the store of the configuration; without a word about it a SQLite file in the state folder.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE`, `STORE_NEWER`; `VARIABLE_MISSING` for an address that names one.
 */
export async function openStore(
  { config, folder, stateFolder }: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Store> {
  const { url: written, durability } = typeof config.store === 'string' ? { url: config.store } : { ...config.store }
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
