import {
  ApprovalRequested,
  CallFinished,
  RegisterGuardrailsEvent,
  RegisterToolProvidersEvent,
  RollcallError,
  ToolsChanged,
} from '@rollcall/plugin'

const known = [RegisterToolProvidersEvent, RegisterGuardrailsEvent, ToolsChanged, CallFinished, ApprovalRequested]
const types: ReadonlySet<unknown> = new Set(known.map(({ type }) => type))

/**
 * Refuses what is no event of this host, so that a misspelt subscription is not silently deaf.
 *
 * @throws {RollcallError} `PLUGIN_INVALID`.
 */
export function checkSubscription(plugin: string, event: unknown, listener: unknown): void {
  const type =
    (typeof event === 'function' || typeof event === 'object') && event !== null && 'type' in event && event.type
  if (!types.has(type))
    throw new RollcallError('PLUGIN_INVALID', `${plugin} listens to something that is no event of this host.`, {
      hint: `Pass one of the classes of @rollcall/plugin to on: ${known.map(({ name }) => name).join(', ')}.`,
    })
  if (typeof listener !== 'function')
    throw new RollcallError(
      'PLUGIN_INVALID',
      `${plugin} listens to "${type}" with ${typeof listener} for a listener.`,
      {
        hint: 'Pass a function: on(RegisterToolProvidersEvent, (event) => { … }).',
      },
    )
}
