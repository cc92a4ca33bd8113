import { createHost } from '../../src/create-host.ts'
import { localUser } from '../../src/gate/local-user.ts'
import type { HostOptions } from '../../src/host-options.ts'
import type { Host } from '../../src/host-types.ts'
import type { CallEvent } from '../../src/invoke/call-event.ts'
import type { ToolOutcome } from '../../src/invoke/outcome.ts'
import { createMemoryStore } from '../../src/store/create-memory-store.ts'
import type { Store } from '../../src/store/store.ts'
import { pluginWith } from '../plugins-in-code.ts'

export const asLocal = { principal: localUser }

/** A host with one plugin under the appId `app`, its writing tools switched on. */
export async function hostWith(tools: Parameters<typeof pluginWith>[1][], options: HostOptions = {}) {
  const store = options.store ?? createMemoryStore()
  const host = await createHost({ plugins: [pluginWith('app', ...tools)], ...options, store })
  for (const { name, traits } of host.tools.all()) {
    if (traits.effect !== 'read') await host.switches.enable({ kind: 'tool', name }, 'test')
  }
  return { host, store, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

/** Calls `app__write` and stops where it waits for a person. */
export async function waitingFor(host: Host, text: string, options: Parameters<Host['tools']['call']>[2] = asLocal) {
  const outcome = await host.tools.call('app__write', { text }, options)
  if (outcome.status !== 'waiting' || outcome.pending.kind !== 'approval')
    throw new TypeError(`not waiting but ${outcome.status}`)
  return { ref: { stream: outcome.pending.stream, callId: outcome.callId }, pending: outcome.pending }
}

/** What the journal of a call holds. */
export async function eventsOf(store: Store, { callId }: Pick<ToolOutcome, 'callId'>): Promise<readonly CallEvent[]> {
  const events: CallEvent[] = []
  for await (const { event } of store.read(`call/${callId}`)) events.push(event as CallEvent)
  return events
}

/** A store whose methods, named in `broken`, fail. */
export function brittleStore(store: Store = createMemoryStore()): Store & { readonly broken: Set<string> } {
  const broken = new Set<string>()
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(real, name) {
        if (broken.has(String(name)))
          return () => {
            throw new TypeError(`${String(name)}: disk on fire`)
          }
        const value: unknown = Reflect.get(real, name)
        return typeof value === 'function' ? value.bind(real) : value
      },
    })
  const settings = guarded(store.settings)
  return Object.assign(guarded({ ...store, settings, [Symbol.asyncDispose]: store[Symbol.asyncDispose] }), { broken })
}
