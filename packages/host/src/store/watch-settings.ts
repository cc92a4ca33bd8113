import type { Clock } from '../ports/clock.ts'
import type { Settings } from './store.ts'

const everyMs = 1_000

/**
 * Calls back when rows with this prefix changed since this call, by whichever process; looks once a second until the
 * signal aborts. A store that can't be read, or a callback that fails, has its next try a second later.
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
  let seen: string | undefined
  const look = async () => {
    const now = await read()
    if (now === seen || signal.aborted) return
    await onChanged()
    seen = now
  }
  void (async () => {
    seen = await read().catch(() => undefined)
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal)
      if (!signal.aborted) await look().catch(() => {})
    }
  })()
}
