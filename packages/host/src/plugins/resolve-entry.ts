import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { RollcallError } from '@rollcall/plugin'
import type { Manifest } from './read-manifest.ts'

/** The files of a package that a host may load, as absolute real paths inside it. */
export interface PluginFiles {
  readonly entry: string
  /** Absent also when the file that the manifest names does not exist: the legacy scan has other candidates. */
  readonly toolProvider?: string
}

/**
 * Finds the entry and the legacy tool provider of a package. Runs none of its code.
 *
 * @param folder the real path of the package.
 * @throws {RollcallError} `PLUGIN_INVALID` for a file that is missing or lies outside the package by its real path, and
 * for TypeScript under `node_modules`, which Node does not load.
 */
export async function resolveEntry(folder: string, manifest: Manifest): Promise<PluginFiles> {
  const { entry: declared, toolProvider: legacy } = manifest
  const entry =
    declared === undefined
      ? await mainExport(folder, manifest)
      : await insideFile(folder, declared, 'package.json#rollcall.entry')
  if (entry === undefined) throw invalid(manifest, `its entry "${declared}" does not exist`)
  if (/\.[cm]?tsx?$/.test(entry) && entry.split(sep).includes('node_modules'))
    throw invalid(
      manifest,
      `its entry ${relative(folder, entry)} is TypeScript, which Node does not load from node_modules`,
    )

  const toolProvider =
    legacy === undefined ? undefined : await insideFile(folder, legacy, 'package.json#rollcall.toolProvider')
  return { entry, ...(toolProvider !== undefined && { toolProvider }) }
}

async function mainExport(folder: string, manifest: Manifest): Promise<string> {
  if (manifest.hasExports) return exportedMain(folder, manifest)
  // The resolver follows `main` only through a node_modules folder, and a plugin's folder need not lie in one.
  const { main } = manifest
  const candidates = main === undefined ? ['index.js'] : [main, `${main}.js`, join(main, 'index.js')]
  for (const candidate of candidates) {
    const found = await insideFile(folder, candidate, 'package.json#main')
    if (found !== undefined) return found
  }
  const missing = main === undefined ? 'it has no index.js, exports or main' : `its main "${main}" does not exist`
  throw invalid(manifest, missing)
}

async function exportedMain(folder: string, manifest: Manifest): Promise<string> {
  const { moduleResolve } = await import('import-meta-resolve')
  let url: URL
  try {
    // A package may always resolve itself by its own name.
    url = moduleResolve(manifest.name, pathToFileURL(join(folder, 'package.json')), conditions)
  } catch (cause) {
    throw invalid(manifest, 'its exports lead to no file for an import of the package itself', cause)
  }
  const found = await insideFile(folder, fileURLToPath(url), 'package.json#exports')
  if (found === undefined) throw invalid(manifest, 'its exports lead to no file for an import of the package itself')
  return found
}

const conditions = new Set(['node', 'import', 'module-sync'])

/** The real path of a file inside the folder; `undefined` when there is no such file. */
async function insideFile(folder: string, path: string, key: string): Promise<string | undefined> {
  const absolute = resolve(folder, path)
  // Looked at before the disk is, so that the answer does not tell whether a file outside exists.
  if (!isInside(folder, absolute)) throw outside(folder, path, key)
  const real = await realpath(absolute).catch(() => undefined)
  if (real === undefined) return undefined
  if (!isInside(folder, real)) throw outside(folder, path, key)
  return (await stat(real)).isFile() ? real : undefined
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function outside(folder: string, path: string, key: string): RollcallError {
  return new RollcallError('PLUGIN_INVALID', `${key} of ${folder} is "${path}", which lies outside the package.`, {
    hint: `Name a file inside the package in ${key}; links that lead out of it are not followed.`,
  })
}

function invalid({ name }: Manifest, what: string, cause?: unknown): RollcallError {
  return new RollcallError('PLUGIN_INVALID', `${name} can't be loaded: ${what}.`, {
    hint: 'Name the built entry of the plugin in package.json: "rollcall": { "entry": "./dist/plugin.js" }.',
    cause,
  })
}
