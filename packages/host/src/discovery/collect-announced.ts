import { RegisterToolProvidersEvent, RollcallError, type ToolProvider } from '@rollcall/plugin'
import { type Asked, type Gathered, type GatherOptions, gather } from '../events/gather.ts'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'
import type { Announcement } from './announcement.ts'
import { checkProvider } from './check-provider.ts'

/** What plugins announced, as they are asked. */
export type CollectedAnnouncements = Omit<Gathered<Announcement>, 'items'> & {
  readonly announcements: readonly Announcement[]
}

/**
 * Asks plugins what tools they provide. A listener that throws or runs late loses what it announced in this dispatch;
 * all others stand. Never rejects.
 */
export async function collectAnnounced(options: GatherOptions): Promise<CollectedAnnouncements> {
  const { items, ...rest } = await gather(toolProviders, options)
  return { ...rest, announcements: items }
}

const toolProviders: Asked<ToolProvider, Announcement> = {
  event: RegisterToolProvidersEvent,
  noun: 'a provider',
  lost: 'tools',
  tooSlow: 'Make `tools` a function instead of fetching in the listener, or raise "pluginTimeoutMs".',
  accept(given, plugin) {
    const provider = checkProvider(given, plugin)
    const { appId } = provider
    return plugin.appIds.includes(appId) ? { plugin, appId, provider } : foreign(plugin, appId)
  },
  nameOf: ({ appId }) => appId,
}

function foreign({ name, appIds }: LoadedPlugin, appId: string): RollcallError {
  return new RollcallError('PROVIDER_FOREIGN', `${name} announced "${appId}", but holds ${appIds.join(', ')}.`, {
    hint: `Add "${appId}" to package.json#rollcall.appId of ${name}, or announce under one of its own.`,
    data: { appId },
  })
}
