import type { EventClass } from '@rollcall/plugin'
import type { Fault, Isolated } from '../isolation/run-isolated.ts'
import { runTogether, type TogetherOptions } from '../isolation/run-together.ts'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'
import type { Bus, Subscription } from './create-bus.ts'
import { enterListener } from './current-listener.ts'

/** What became of one listener at one dispatch. */
export interface ListenerReport {
  readonly plugin: string
  readonly event: string
  /** Position by configuration. */
  readonly order: number
  readonly outcome: 'settled' | 'threw' | 'timedOut'
  readonly durationMs: number
  /** What stands of it: nothing after a throw or a time-out. */
  readonly announced: readonly string[]
  /** Why it did not settle; redacted. */
  readonly fault?: Pick<Fault, 'message' | 'causes'>
}

/** What one listener gets to see, made for it alone. */
export interface View<E> {
  readonly event: E
  /** What it announced so far, in words for the report. */
  announced(): readonly string[]
  /** Called when the listener settles or its time is over, perhaps twice. */
  close(): void
}

export interface CollectOptions<V> extends TogetherOptions {
  /** Who is asked, whoever else listens. */
  readonly plugins: readonly LoadedPlugin[]
  /** `signal` is aborted when the time of the listener is over. */
  makeView(plugin: LoadedPlugin, signal: AbortSignal): V
}

/** The answer of one listener. */
export interface Answer<V> {
  readonly plugin: LoadedPlugin
  readonly report: ListenerReport
  /** Absent for a listener that was not reached before the total was used up. */
  readonly view: V | undefined
  readonly fault: Fault | undefined
}

/**
 * Dispatches an event that is collected: every listener of these plugins is asked at the same time, each with a view of
 * its own, isolated, under its limit and the total. Answers by configuration order, whoever settled first. Never rejects.
 *
 * Out of reach is what a listener starts and does not return: a throw in its timer, a promise that it drops. Nobody can
 * tell whose those are; they go to the process, whose owner decides.
 */
export async function collect<E, V extends View<E>>(
  bus: Bus,
  event: EventClass<E>,
  { plugins, makeView, ...limits }: CollectOptions<V>,
): Promise<readonly Answer<V>[]> {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]))
  const asked = bus.listeners(event).flatMap((subscription) => {
    const plugin = byName.get(subscription.plugin)
    return plugin === undefined ? [] : [{ plugin, subscription }]
  })
  const views = new Map<Subscription<E>, V>()

  const results = await runTogether(
    asked,
    ({ plugin, subscription }, signal) => {
      const view = makeView(plugin, signal)
      views.set(subscription, view)
      return run(subscription, view, signal)
    },
    limits,
  )
  return results.map((result, index) => {
    const { plugin, subscription } = asked[index] as (typeof asked)[number]
    const view = views.get(subscription)
    const fault = result.ok ? undefined : result.fault
    return { plugin, view, fault, report: toReport(plugin, event.type, result, view) }
  })
}

async function run<E>({ plugin, listener }: Subscription<E>, view: View<E>, signal: AbortSignal): Promise<void> {
  const entered = enterListener(plugin)
  const close = () => {
    entered.leave()
    view.close()
  }
  signal.addEventListener('abort', close)
  try {
    const pending = entered.run(() => listener(view.event))
    // A listener that is done by now is closed by now, not a turn later.
    if (typeof pending === 'object') await pending
  } finally {
    close()
  }
}

function toReport(
  plugin: LoadedPlugin,
  event: string,
  result: Isolated<void>,
  view: View<unknown> | undefined,
): ListenerReport {
  const base = { plugin: plugin.name, event, order: plugin.order, durationMs: result.durationMs }
  if (result.ok) return { ...base, outcome: 'settled', announced: view?.announced() ?? [] }
  const { kind, message, causes } = result.fault
  return { ...base, outcome: kind === 'threw' ? 'threw' : 'timedOut', announced: [], fault: { message, causes } }
}
