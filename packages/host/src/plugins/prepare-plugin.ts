import { isPlugin, RollcallError } from '@rollcall/plugin'
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'
import { appIdRule, parseAppId } from './app-id.ts'
import type { PluginFailure } from './loaded-plugin.ts'
import type { PluginCandidate, PluginRequest } from './plugin-candidate.ts'
import { type PluginIdentity, pluginFailure } from './plugin-failure.ts'
import { type Manifest, readManifest } from './read-manifest.ts'
import { reservedAppIds } from './reserved-app-ids.ts'
import { resolveEntry } from './resolve-entry.ts'
import { resolvePlugin } from './resolve-plugin.ts'

/** Finds a plugin and decides by its manifest alone whether it may be loaded. Runs none of its code, never rejects. */
export async function preparePlugin(
  request: PluginRequest,
  { cwd, hostApi }: { readonly cwd: string; readonly hostApi: string },
): Promise<PluginCandidate | PluginFailure> {
  const { order, from, onFailure, options, source } = request
  let identity: PluginIdentity = { name: from, version: '', appIds: [], order, from, onFailure }
  try {
    if (source.kind === 'code') {
      const appIds = codeAppIds(source.appId)
      identity = { ...identity, name: appIds[0], version: '0.0.0', appIds }
      refuseReserved(identity)
      if (!isPlugin(source.plugin)) throw notDefined(identity.name)
      return { ...identity, options, source: { kind: 'code', plugin: source.plugin } }
    }

    const folder = await resolvePlugin(source.specifier, cwd)
    const manifest = await readManifest(folder)
    if (manifest === undefined) throw noManifest(from, folder)
    identity = { ...identity, name: manifest.name, version: manifest.version, appIds: manifest.appIds }
    checkApi(manifest, hostApi)
    refuseReserved(identity)
    const { entry, toolProvider } = await resolveEntry(folder, manifest)
    return {
      ...identity,
      folder,
      ...(toolProvider !== undefined && { toolProvider }),
      options,
      source: { kind: 'configured', entry },
    }
  } catch (error) {
    return pluginFailure(identity, error, { phase: 'load', durationMs: 0 })
  }
}

function codeAppIds(given: unknown): readonly [string, ...string[]] {
  const listed: readonly unknown[] = Array.isArray(given) ? given : [given]
  const [first, ...others] = new Set(listed.map((appId) => parseAppId(appId) ?? refuseAppId(appId)))
  return first === undefined ? refuseAppId(undefined) : [first, ...others]
}

function refuseAppId(appId: unknown): never {
  const shown = typeof appId === 'string' ? `"${appId}"` : `${typeof appId}`
  throw new RollcallError('PLUGIN_INVALID', `A plugin given in code has ${shown} for an appId: ${appIdRule}.`, {
    hint: 'Give it as { appId: "weather", plugin }.',
  })
}

function notDefined(name: string): RollcallError {
  return new RollcallError(
    'PLUGIN_INVALID',
    `What was given in code as the plugin "${name}" was not made by definePlugin.`,
    {
      hint: 'Pass what definePlugin({ setup(ctx) { … } }) returns.',
    },
  )
}

function noManifest(from: string, folder: string): RollcallError {
  return new RollcallError('PLUGIN_INVALID', `${from} is no plugin: its package.json has no "rollcall" key.`, {
    hint: `Add "rollcall": { "appId": "my-app" } to ${folder}/package.json, or remove ${from} from "plugins".`,
  })
}

function checkApi({ name, version, api }: Manifest, hostApi: string): void {
  if (api === undefined) return
  if (validRange(api) === null)
    throw new RollcallError(
      'PLUGIN_INVALID',
      `${name} ${version} has the api range "${api}", which is no semver range.`,
      {
        hint: `Write the plugin API versions that it works with in package.json#rollcall.api, for instance "^${hostApi}".`,
      },
    )
  if (!satisfies(hostApi, api))
    throw new RollcallError(
      'PLUGIN_API_MISMATCH',
      `${name} ${version} works with the plugin API "${api}"; this host speaks ${hostApi}.`,
      { hint: `Update ${name} or the host, so that package.json#rollcall.api includes ${hostApi}.` },
    )
}

/** A plugin that also claims other appIds keeps those; the roll refuses the reserved ones. */
function refuseReserved({ name, appIds }: PluginIdentity): void {
  if (!appIds.every((appId) => reserved.has(appId))) return
  throw new RollcallError('PROVIDER_RESERVED', `${name} claims ${appIds.join(', ')}, reserved for the host.`, {
    hint: `Choose another appId for ${name} than ${reservedAppIds.join(', ')}.`,
  })
}

const reserved: ReadonlySet<string> = new Set(reservedAppIds)
