import { randomBytes } from 'node:crypto'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyRing, type KeyRing } from '@rollcall/host'
import { type LoadedConfig, resolveSecret } from '@rollcall/host/config'
import { RollcallError } from '@rollcall/plugin'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The keys that the configuration gives the store; `undefined`: none.
 *
 * @param mayMake whether a key file that is missing is made: not for a store that another key has sealed
 * @throws {RollcallError} `KEY_UNKNOWN` for a text that is no key, `SECRET_MISSING`.
 */
export async function readStoreKeys(
  { config, folder, stateFolder }: LoadedConfig,
  env: Env,
  { mayMake }: { readonly mayMake: boolean },
): Promise<KeyRing | undefined> {
  const { key, formerKeys = [] } = typeof config.store === 'object' ? config.store : {}
  if (key === undefined) return undefined
  const resolved = (ref: Exclude<typeof key, 'file'>) => resolveSecret(ref, { env, folder, allow: 'all' })
  const former = await Promise.all(formerKeys.map(resolved))
  if (key !== 'file') return createKeyRing(await resolved(key), former)
  if (mayMake) await makeKeyFile(stateFolder)
  const [current = '', ...before] = await readKeyFile(stateFolder)
  return createKeyRing(current, [...before, ...former])
}

/**
 * Puts a new key in front of those of the key file, unless a rotation was begun and not ended: then that one goes on.
 */
export async function renewKeyFile(stateFolder: string): Promise<void> {
  const keys = await readKeyFile(stateFolder)
  if (keys.length === 1) await writeKeyFile(stateFolder, [newKey(), ...keys])
}

/** Leaves the first key of the key file alone in it. */
export async function dropFormerKeys(stateFolder: string): Promise<void> {
  const keys = await readKeyFile(stateFolder)
  if (keys.length > 1) await writeKeyFile(stateFolder, keys.slice(0, 1))
}

const fileOf = (stateFolder: string) => join(stateFolder, 'store.key')
const newKey = () => randomBytes(32).toString('base64')

/** Of two processes that make one, the first wins. */
async function makeKeyFile(stateFolder: string): Promise<void> {
  await writeFile(fileOf(stateFolder), `${newKey()}\n`, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unreadable(stateFolder, error)
  })
}

/** The current key first. */
async function readKeyFile(stateFolder: string): Promise<readonly string[]> {
  const file = fileOf(stateFolder)
  try {
    await chmod(file, 0o600)
    const keys = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
    if (keys.length > 0) return keys
  } catch (error) {
    throw unreadable(stateFolder, error)
  }
  throw unreadable(stateFolder, undefined)
}

/** Whole or not at all: a key that is lost can't be made again. */
async function writeKeyFile(stateFolder: string, keys: readonly string[]): Promise<void> {
  const file = fileOf(stateFolder)
  const fresh = `${file}.${process.pid}`
  try {
    await writeFile(fresh, `${keys.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw unreadable(stateFolder, error)
  }
}

function unreadable(stateFolder: string, cause: unknown): RollcallError {
  return new RollcallError('KEY_UNKNOWN', `${fileOf(stateFolder)} holds no key for the store, or can't be used.`, {
    hint: 'Put the key file of this store back. Without it nobody can read what is sealed.',
    ...(cause === undefined ? {} : { cause }),
  })
}
