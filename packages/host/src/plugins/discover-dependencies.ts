import { type Finding, RollcallError } from '@rollcall/plugin'
import type { Settings } from '../store/store.ts'
import { acceptanceKey, acceptancePrefix } from './acceptance-key.ts'
import type { PluginFailure } from './loaded-plugin.ts'
import { type PluginIdentity, pluginFailure } from './plugin-failure.ts'
import { readManifest } from './read-manifest.ts'
import { readPackageJson } from './read-package-json.ts'
import { resolvePlugin } from './resolve-plugin.ts'

export interface DiscoveryContext {
  /** Absolute folder of the host's package.json. */
  readonly cwd: string
  /** Position of the first one. */
  readonly startOrder: number
  readonly settings: Settings
}

/** What the dependencies of the host offer, in the order of its package.json. */
export interface Discovered {
  /** Names of accepted packages, to be loaded. */
  readonly accepted: readonly string[]
  /** None of their code runs until a person accepts them. */
  readonly held: readonly PluginFailure[]
  /** Packages that can't be read. */
  readonly findings: readonly Finding[]
}

/** The keyword by which a package tells that it is a plugin. */
const pluginKeyword = 'rollcall-plugin'

/**
 * Finds plugins among the direct dependencies (also optional ones) of the host's package.json, by their keyword. Runs
 * none of their code: one that nobody has accepted is held, a package without the keyword is left alone.
 */
export async function discoverDependencies(context: DiscoveryContext): Promise<Discovered> {
  const { cwd, settings, startOrder } = context
  let names: readonly string[]
  try {
    const packageJson = await readPackageJson(cwd)
    names = [...new Set([packageJson?.dependencies, packageJson?.optionalDependencies].flatMap(keysOf))]
  } catch (error) {
    return { accepted: [], held: [], findings: [failureOf('package.json', startOrder, error).finding] }
  }
  const rows = new Map(await settings.list(acceptancePrefix))
  const found = await Promise.all(
    names.map((name, index) => look(name, startOrder + index, cwd, isAccepted(rows.get(acceptanceKey(name))))),
  )
  const failures = found.filter((one) => typeof one === 'object')
  return {
    accepted: found.filter((one) => typeof one === 'string'),
    held: failures.filter(({ state }) => state === 'held'),
    findings: failures.filter(({ state }) => state !== 'held').map(({ finding }) => finding),
  }
}

function isAccepted(row: unknown): boolean {
  return typeof row === 'object' && row !== null && 'accepted' in row && row.accepted === true
}

/** The name of an accepted plugin, what keeps it out, or `undefined` for what is no plugin. */
async function look(
  name: string,
  order: number,
  cwd: string,
  accepted: boolean,
): Promise<string | PluginFailure | undefined> {
  // Whether a dependency is installed is the package manager's business.
  const folder = await resolvePlugin(name, cwd).catch(() => undefined)
  if (folder === undefined) return undefined
  try {
    const packageJson = await readPackageJson(folder)
    const keywords: unknown = packageJson?.keywords
    if (!Array.isArray(keywords) || !keywords.includes(pluginKeyword)) return undefined
    if (accepted) return name
    const manifest = await readManifest(folder)
    if (manifest === undefined) throw withoutManifest(name)
    const { version, appIds } = manifest
    return failureOf(name, order, unaccepted(name, version, appIds), { version, appIds })
  } catch (error) {
    return failureOf(name, order, error)
  }
}

function failureOf(
  name: string,
  order: number,
  error: unknown,
  known: Partial<Pick<PluginIdentity, 'version' | 'appIds'>> = {},
): PluginFailure {
  const identity = { name, version: '', appIds: [], order, from: name, onFailure: 'report', ...known } as const
  return pluginFailure(identity, error, { phase: 'load', durationMs: 0 })
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

function unaccepted(name: string, version: string, appIds: readonly string[]): RollcallError {
  return new RollcallError(
    'PLUGIN_NEW',
    `${name} ${version} offers ${appIds.join(', ')} and was not accepted yet, so none of its code runs.`,
    { hint: `rollcall enable ${name}` },
  )
}

function withoutManifest(name: string): RollcallError {
  return new RollcallError(
    'PLUGIN_INVALID',
    `${name} carries the keyword "${pluginKeyword}", but its package.json has no "rollcall" key.`,
    { hint: `Update ${name}, or tell its author to add "rollcall": { "appId": "my-app" } to its package.json.` },
  )
}
