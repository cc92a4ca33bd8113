import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { LegacyServices } from '@rollcall/plugin'
import { createContainer } from '../../../src/discovery/legacy/create-container.ts'
import type { HostServices } from '../../../src/host-options.ts'
import type { LoadedPlugin } from '../../../src/plugins/loaded-plugin.ts'

/** A plugin as the host has loaded it, with its container. */
export interface PluginWithContainer {
  readonly plugin: LoadedPlugin
  readonly container: LegacyServices
}

/** Makes a plugin without a folder; `register` fills its container. */
export function makePlugin(
  plugin: Partial<LoadedPlugin> & Pick<LoadedPlugin, 'name'>,
  register: (services: LegacyServices) => void = () => {},
  parent?: HostServices,
): PluginWithContainer {
  const container = createContainer(parent)
  register(container)
  return {
    container,
    plugin: {
      version: '1.0.0',
      appIds: [plugin.name],
      order: 0,
      from: `./plugins/${plugin.name}`,
      module: { kind: 'legacy', plugin: { register } },
      options: undefined,
      onFailure: 'report',
      ...plugin,
    },
  }
}

/** A folder for packages that is removed at the end. */
export async function makePackages() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-legacy-')))
  return {
    root,
    /** Writes a package and gives its folder. */
    async write(name: string, manifest: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
      const folder = join(root, name)
      const all = { 'package.json': JSON.stringify({ name, version: '1.0.0', ...manifest }), ...files }
      for (const [file, text] of Object.entries(all)) {
        await mkdir(dirname(join(folder, file)), { recursive: true })
        await writeFile(join(folder, file), text)
      }
      return folder
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** A provider in the old words, and the source text of a module that exports one. */
export const providerOf = (appId: string) => ({
  getAppId: () => appId,
  getTools: () => [],
  invokeTool: (id: string) => `${appId} ran ${id}`,
})

export const moduleOf = (appId: string) =>
  `export default { getAppId: () => '${appId}', getTools: () => [], invokeTool: () => 'from a module' }\n`
