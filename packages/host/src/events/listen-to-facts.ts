import type { EventClass, Maybe } from '@rollcall/plugin'
import type { Bus } from './create-bus.ts'

/** `host.on`: the host application listens to facts like a plugin does. */
export function listenToFacts(bus: Bus): <E>(event: EventClass<E>, listener: (event: E) => Maybe<void>) => () => void {
  return (event, listener) => bus.on({ plugin: 'host', order: -1 }, event, listener)
}
