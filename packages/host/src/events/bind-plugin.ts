import { type PluginContext, RollcallError } from '@rollcall/plugin'
import { checkSubscription } from './check-subscription.ts'
import type { Bus, ListenerOwner } from './create-bus.ts'

/** A plugin's way to the bus. */
export interface Binding {
  readonly on: PluginContext['on']
  /** Undoes every subscription of the plugin. */
  undo(): void
}

/**
 * Gives a plugin a bus of its own name: all it can do is listen and stop listening.
 *
 * `on` throws `PLUGIN_INVALID` for an unknown event and `REGISTRATION_CLOSED` once the signal is aborted, so that the
 * rest of a setup that ran out of time leaves nothing behind.
 */
export function bindPlugin(
  bus: Bus,
  { name, order }: { readonly name: string; readonly order: number },
  { signal }: { readonly signal: AbortSignal },
): Binding {
  const owner: ListenerOwner = { plugin: name, order }
  const undos = new Set<() => void>()

  return {
    on(event, listener) {
      if (signal.aborted) throw stopped(name)
      checkSubscription(name, event, listener)
      const off = bus.on(owner, event, listener)
      const undo = () => {
        off()
        undos.delete(undo)
      }
      undos.add(undo)
      return undo
    },
    undo() {
      for (const undo of [...undos]) undo()
    },
  }
}

function stopped(name: string): RollcallError {
  return new RollcallError('REGISTRATION_CLOSED', `${name} subscribed to an event after it was stopped.`, {
    hint: 'Subscribe in setup, and await there what setup starts.',
  })
}
