import type { ToolProvider } from '../provider/tool-provider.ts'

/**
 * Collected, not notified: dispatched to each plugin, awaited, isolated per listener, closed when the listener
 * settles. Every listener gets a view of its own.
 */
export abstract class RegisterToolProvidersEvent {
  static readonly type = 'registerToolProviders'
  /** The plugin that is being asked: its package name, or its appId where it was given in code. */
  abstract readonly plugin: string
  /** The version of the plugin API that this host speaks. */
  abstract readonly hostApi: string
  /** Aborted when this listener's time is over. */
  abstract readonly signal: AbortSignal
  abstract readonly isClosed: boolean
  /**
   * Announces a provider. What a listener announced before it throws or runs late is discarded.
   *
   * @throws {RollcallError} `REGISTRATION_CLOSED` after the listener settled or timed out.
   */
  abstract announce(provider: ToolProvider): void
}
