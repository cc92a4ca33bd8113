import { realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type LegacyServices, RollcallError } from '@rollcall/plugin'
import { exports as resolveExports } from 'resolve.exports'
import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts'
import { readPackageJson } from '../../plugins/read-package-json.ts'
import { aliasOf } from './create-container.ts'
import { once } from './once.ts'

/** Where a provider is looked for, in this order. */
export const candidates = ['alias', 'module', 'manifest'] as const
export type Candidate = (typeof candidates)[number]

/** An appId of a plugin, for which a provider is looked for. */
export interface Target {
  readonly plugin: LoadedPlugin
  readonly appId: string
  readonly container: LegacyServices
}

/** A candidate that is there. `place`: the container alias, or the absolute path of a file. */
export interface Winner {
  readonly candidate: Candidate
  readonly place: string
}

/**
 * Finds the place of a candidate without running any of its code; `undefined` is the expected miss.
 *
 * @throws {RollcallError} `LEGACY_CANDIDATE_INVALID` for a file outside its package.
 */
export async function locate(candidate: Candidate, { plugin, appId, container }: Target): Promise<Winner | undefined> {
  const place =
    candidate === 'alias'
      ? aliasIn(container, aliasOf(appId))
      : candidate === 'module'
        ? await moduleOf(plugin)
        : await fileIn(plugin, plugin.toolProvider)
  return place === undefined ? undefined : { candidate, place }
}

/** Tells whether a candidate that won before is still in its place. Reads no manifest. */
export async function isInPlace({ candidate, place }: Winner, { plugin, container }: Target): Promise<boolean> {
  return candidate === 'alias' ? container.has(place) : (await fileIn(plugin, place)) !== undefined
}

/** Takes what lies in the place of a candidate, whatever it is: runs foreign code. */
export async function take({ candidate, place }: Winner, { container }: Target): Promise<unknown> {
  if (candidate === 'alias') return container.get(place)
  const module: { readonly default?: unknown } = await import(pathToFileURL(place).href)
  const exported = unwrap(module.default)
  return typeof exported === 'function' ? onceFor(exported, () => exported())() : exported
}

/** Names a candidate for a person, with its file where it has one. */
export function nameOf({ candidate, place }: Partial<Winner>, { folder = '' }: LoadedPlugin): string {
  if (candidate === 'alias') return 'container alias'
  const kind = candidate === 'module' ? 'module tool-provider' : 'manifest entry toolProvider'
  return place === undefined ? kind : `${kind}, ${relative(folder, place)}`
}

function aliasIn(container: LegacyServices, alias: string): string | undefined {
  return container.has(alias) ? alias : undefined
}

async function moduleOf(plugin: LoadedPlugin): Promise<string | undefined> {
  const { folder } = plugin
  if (folder === undefined) return undefined
  for (const file of await moduleFiles(folder)) {
    const place = await fileIn(plugin, join(folder, file))
    if (place !== undefined) return place
  }
  return undefined
}

/** What `<package>/tool-provider` may mean: where a package states `exports`, only what they say. */
async function moduleFiles(folder: string): Promise<readonly string[]> {
  try {
    const packageJson = await readPackageJson(folder)
    if (packageJson?.exports != null) return resolveExports(packageJson, './tool-provider')?.slice(0, 1) ?? []
  } catch {
    // Unreadable, or the subpath isn't exported: nobody else could import it either.
    return []
  }
  return ['js', 'mjs', 'cjs', 'ts'].map((extension) => `tool-provider.${extension}`)
}

/** The real path of a file of the plugin's package; `undefined` when there is none. */
async function fileIn({ folder }: LoadedPlugin, path: string | undefined): Promise<string | undefined> {
  if (folder === undefined || path === undefined) return undefined
  const file = await realpath(path).catch(() => undefined)
  if (file === undefined || !(await stat(file)).isFile()) return undefined
  if (!file.startsWith(`${folder}${sep}`))
    throw new RollcallError('LEGACY_CANDIDATE_INVALID', `${relative(folder, path)} lies outside its package.`, {
      hint: 'Put the file into the package: a link that leads out of it is not followed.',
    })
  return file
}

/** CommonJS that was compiled from ESM has its default export one level further down. */
function unwrap(exported: unknown): unknown {
  return typeof exported === 'object' && exported !== null && '__esModule' in exported && 'default' in exported
    ? exported.default
    : exported
}

const factories = new WeakMap<object, () => unknown>()

/** Like a factory in a container, one that a module exports runs once. */
function onceFor(factory: object, run: () => unknown): () => unknown {
  const known = factories.get(factory)
  if (known !== undefined) return known
  const guarded = once(run)
  factories.set(factory, guarded)
  return guarded
}
