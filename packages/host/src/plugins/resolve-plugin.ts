import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { RollcallError } from '@rollcall/plugin'
import { nearest } from '../config/nearest.ts'

/**
 * The folder of a plugin, as its real path: `./x`, `../x`, an absolute path or `file:` is that folder, anything else
 * is a package in the nearest `node_modules` upward from `cwd`. Runs none of its code.
 *
 * @throws {RollcallError} `PLUGIN_NOT_FOUND` with the nearest match.
 */
export async function resolvePlugin(specifier: string, cwd: string): Promise<string> {
  const path = toPath(specifier, cwd)
  if (path !== undefined) {
    if (await isFolder(path)) return realpath(path)
    throw noSuchFolder(specifier, nearest(basename(path), await foldersIn(dirname(path))))
  }
  if (packageName.test(specifier)) {
    for (const folder of modulesUpward(cwd)) {
      const found = join(folder, specifier)
      if (await isFolder(found)) return realpath(found)
    }
  }
  throw noSuchPackage(specifier, nearest(specifier, await installedPackages(cwd)))
}

const packageName = /^(?:@[A-Za-z0-9~-][A-Za-z0-9~._-]*\/)?[A-Za-z0-9~-][A-Za-z0-9~._-]*$/

function toPath(specifier: string, cwd: string): string | undefined {
  if (/^\.{1,2}(?:[/\\]|$)/.test(specifier) || isAbsolute(specifier)) return resolve(cwd, specifier)
  if (!specifier.startsWith('file:')) return undefined
  try {
    return fileURLToPath(new URL(specifier, pathToFileURL(cwd + sep)))
  } catch {
    return undefined
  }
}

function* modulesUpward(cwd: string): Generator<string> {
  let folder = resolve(cwd)
  for (;;) {
    if (basename(folder) !== 'node_modules') yield join(folder, 'node_modules')
    const above = dirname(folder)
    if (above === folder) return
    folder = above
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
}

async function installedPackages(cwd: string): Promise<readonly string[]> {
  const names: string[] = []
  for (const folder of modulesUpward(cwd)) {
    for (const name of await foldersIn(folder)) {
      if (!name.startsWith('@')) names.push(name)
      else names.push(...(await foldersIn(join(folder, name))).map((inScope) => `${name}/${inScope}`))
    }
  }
  return names
}

function noSuchFolder(specifier: string, near: string | undefined): RollcallError {
  const meant = near === undefined ? undefined : specifier.replace(/[^/\\]*[/\\]?$/, near)
  return new RollcallError('PLUGIN_NOT_FOUND', `"${specifier}": no such folder${guess(meant)}`, {
    hint: 'Correct the path in "plugins"; it is relative to the folder of the configuration.',
  })
}

function noSuchPackage(specifier: string, near: string | undefined): RollcallError {
  return new RollcallError(
    'PLUGIN_NOT_FOUND',
    `"${specifier}" is neither a folder nor an installed package${guess(near)}`,
    {
      hint: 'Correct the name in "plugins", or install the package beside the configuration; a folder begins with "./".',
    },
  )
}

function guess(near: string | undefined): string {
  return near === undefined ? '.' : `; did you mean "${near}"?`
}
