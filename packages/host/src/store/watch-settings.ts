import type { Clock } from '../ports/clock.ts'
import type { Settings } from './store.ts'

const everyMs = 1_000

/** Calls back once a second until the signal aborts, so that what other processes wrote to the store is seen. */
export function watchSettings(settings: Settings, clock: Clock, signal: AbortSignal, onTick: () => Promise<void>): void {
  void (async () => {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal)
      if (!signal.aborted) await onTick().catch(() => {})
    }
  })()
}
