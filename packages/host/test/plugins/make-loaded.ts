import { definePlugin, type LegacyPlugin, type Plugin, type PluginContext } from '@rollcall/plugin'
import type { LoadedPlugin } from '../../src/plugins/loaded-plugin.ts'

/** A loaded plugin without a package. */
export function makeLoaded(
  name: string,
  order: number,
  plugin: Plugin | LegacyPlugin | ((context: PluginContext) => void | Promise<void>) = () => {},
  change: Partial<LoadedPlugin> = {},
): LoadedPlugin {
  const module: LoadedPlugin['module'] =
    typeof plugin === 'function'
      ? { kind: 'plugin', plugin: definePlugin({ setup: plugin }) }
      : 'register' in plugin
        ? { kind: 'legacy', plugin }
        : { kind: 'plugin', plugin }
  const appIds = [name]
  return {
    name,
    version: '1.0.0',
    appIds,
    order,
    from: `./${name}`,
    module,
    options: undefined,
    onFailure: 'report',
    ...change,
  }
}
