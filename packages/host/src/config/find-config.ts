import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { createConfigExplorer, searchPlaces } from './config-explorer.ts'
import { configInvalid } from './config-invalid.ts'
import { nearest } from './nearest.ts'
import { isConfigName } from './parse-config.ts'
import { isPlainObject } from './schema-node.ts'
import { exists, searchFolders } from './search-folders.ts'

/** A configuration that lies somewhere; not read yet. */
export interface FoundConfig {
  /** Real path. For `manifest` that of the `package.json`. */
  readonly file: string
  /** `named`: by the person. `user`: in the user's folder. `project`: in or above the working folder. */
  readonly by: 'named' | 'user' | 'project' | 'manifest'
}

/**
 * Finds the configuration: the named one; else the nearest upward from the working folder, where a folder without one
 * may be a plugin and then is its own plugin list; else in the user's folder.
 *
 * @throws {RollcallError} `CONFIG_INVALID` when the named one does not exist or one that is there can't be read.
 */
export async function findConfig(places: {
  readonly named?: string | undefined
  readonly cwd: string
  readonly home: string
  readonly userFolder: string
}): Promise<FoundConfig | undefined> {
  const { named, cwd, home, userFolder } = places
  if (named !== undefined) return { file: await findNamed(resolve(cwd, named), named), by: 'named' }
  const folders = await searchFolders(cwd, home)
  for (const folder of folders) {
    const file = await findIn(folder)
    if (file !== undefined) return { file, by: dirname(file) === userFolder ? 'user' : 'project' }
    const manifest = join(folder, 'package.json')
    if (await hasManifest(manifest)) return { file: await realpath(manifest), by: 'manifest' }
  }
  const ofUser = await findIn(userFolder)
  return ofUser === undefined ? undefined : { file: ofUser, by: 'user' }
}

async function findNamed(file: string, named: string): Promise<string> {
  if (!isConfigName(file)) {
    throw configInvalid([{ path: '', message: 'is no .json, .yaml, .yml, .ts, .mts, .js or .mjs file' }], named)
  }
  try {
    return await realpath(file)
  } catch (cause) {
    const names = await readdir(dirname(file)).catch(() => [])
    const near = nearest(basename(file), names.filter(isConfigName))
    const message = near === undefined ? 'no such file' : `no such file; did you mean ${JSON.stringify(near)}?`
    throw configInvalid([{ path: '', message }], named, { cause })
  }
}

async function findIn(folder: string): Promise<string | undefined> {
  const first = await firstThere(searchPlaces.map((place) => join(folder, place)))
  if (first === undefined) return undefined
  // The search passes over what it can't read, and would go on to a configuration with other rules.
  const found = await (await createConfigExplorer()).search(folder).catch(() => null)
  if (first !== found?.filepath) throw configInvalid([{ path: '', message: 'can not be read' }], first)
  return realpath(first)
}

async function firstThere(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await exists(file)) return file
  return undefined
}

async function hasManifest(file: string): Promise<boolean> {
  try {
    const text = await readFile(file, 'utf8')
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isPlainObject(value) && Object.hasOwn(value, 'rollcall')
  } catch {
    // Whoever loads plugins says what is wrong with a package.json; here it only is no plugin list.
    return false
  }
}
