import { isRollcallError, type RegisterToolProvidersEvent, RollcallError, type ToolProvider } from '@rollcall/plugin'
import type { View } from '../events/collect.ts'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'
import type { Announcement } from './announcement.ts'
import { checkProvider } from './check-provider.ts'

/** The view of one listener, and what it gathered. */
export interface AnnounceView extends View<RegisterToolProvidersEvent> {
  readonly announcements: readonly Announcement[]
  /** Announcements that were refused, thrown to their author or not. */
  readonly refusals: readonly RollcallError[]
}

/** Makes the event object of one listener: frozen, and deaf once it is closed. */
export function createAnnounceView(
  plugin: LoadedPlugin,
  {
    hostApi,
    signal,
    onLate,
  }: {
    readonly hostApi: string
    readonly signal: AbortSignal
    /** Told once, at the first announcement after the view was closed. */
    onLate(error: RollcallError): void
  },
): AnnounceView {
  const announcements: Announcement[] = []
  const refusals: RollcallError[] = []
  let isClosed = false
  let wasLate = false

  const refuseLate = (): never => {
    const error = late(plugin)
    if (!wasLate) onLate(error)
    wasLate = true
    throw error
  }

  return {
    announcements,
    refusals,
    announced: () => announcements.map(({ appId }) => appId),
    close() {
      isClosed = true
    },
    event: Object.freeze({
      plugin: plugin.name,
      hostApi,
      signal,
      get isClosed() {
        return isClosed
      },
      announce(given: ToolProvider) {
        if (isClosed) refuseLate()
        const provider = attempt(() => checkProvider(given, plugin), refusals)
        if (plugin.appIds.includes(provider.appId)) announcements.push({ plugin, appId: provider.appId, provider })
        else refusals.push(foreign(plugin, provider.appId))
      },
    }),
  }
}

function attempt<T>(check: () => T, refusals: RollcallError[]): T {
  try {
    return check()
  } catch (error) {
    if (isRollcallError(error)) refusals.push(error)
    throw error
  }
}

function late({ name }: LoadedPlugin): RollcallError {
  return new RollcallError('REGISTRATION_CLOSED', `${name} announced a provider after its listener was over.`, {
    hint: 'Return the promise of what the listener starts, or make `tools` a function.',
  })
}

function foreign({ name, appIds }: LoadedPlugin, appId: string): RollcallError {
  return new RollcallError('PROVIDER_FOREIGN', `${name} announced "${appId}", but holds ${appIds.join(', ')}.`, {
    hint: `Add "${appId}" to package.json#rollcall.appId of ${name}, or announce under one of its own.`,
    data: { appId },
  })
}
