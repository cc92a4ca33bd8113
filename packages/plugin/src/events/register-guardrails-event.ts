import type { Guardrail } from '../guardrail/guardrail.ts'

/**
 * Collected like `RegisterToolProvidersEvent`: dispatched to each plugin, awaited, isolated per listener, closed when the
 * listener settles. What is announced runs only where the operator's configuration names it.
 */
export abstract class RegisterGuardrailsEvent {
  static readonly type = 'registerGuardrails'
  /** The plugin that is being asked: its package name, or its appId where it was given in code. */
  abstract readonly plugin: string
  /** The version of the plugin API that this host speaks. */
  abstract readonly hostApi: string
  /** Aborted when this listener's time is over. */
  abstract readonly signal: AbortSignal
  abstract readonly isClosed: boolean
  /**
   * Announces a guardrail. What a listener announced before it throws or runs late is discarded.
   *
   * @throws {RollcallError} `REGISTRATION_CLOSED` after the listener settled or timed out; `GUARDRAIL_INVALID`.
   */
  abstract announce(guardrail: Guardrail): void
}
