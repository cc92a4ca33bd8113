import type { Clock } from '../ports/clock.ts'
import type { Settings } from './store.ts'

const everyMs = 1_000

/**
 * Calls back when rows with this prefix changed, by whichever process; looks once a second until the signal aborts.
 * A store that can't be read is looked at again a second later.
 */
export function watchSettings(
  {
    settings,
    prefix,
    clock,
    signal,
  }: { readonly settings: Settings; readonly prefix: string; readonly clock: Clock; readonly signal: AbortSignal },
  onChanged: () => Promise<void>,
): void {
  const read = async () => JSON.stringify(await settings.list(prefix))
  void (async () => {
    let seen = await read().catch(() => '')
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal)
      if (signal.aborted) return
      const now = await read().catch(() => seen)
      if (now === seen) continue
      seen = now
      await onChanged().catch(() => {})
    }
  })()
}
