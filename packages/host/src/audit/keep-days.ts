import type { KeyObject } from 'node:crypto'
import type { Logger } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../store/store.ts'
import { pruneAudit } from './prune-audit.ts'

const lookMs = 60 * 60_000
/** A command that ends after a second does not begin to tidy up. */
const firstLookMs = 60_000
const dayMs = 24 * 60 * 60_000
const lastRow = 'retention/last'

/** Removes what is older than so many days, once a day and by one of the processes on a store, until the signal aborts. */
export function keepDays(options: {
  readonly store: Store
  readonly key: KeyObject
  readonly days: number
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal
}): void {
  const { store, key, days, clock, logger, signal } = options
  const look = async () => {
    const now = clock.now()
    const row = await store.settings.get(lastRow)
    if (typeof row?.value === 'number' && row.value > now - dayMs) return
    if (!(await store.settings.set(lastRow, now, row?.version ?? 0))) return
    const removed = await pruneAudit(store, key, now - days * dayMs)
    if (removed > 0) logger.info('old calls were removed from the audit', { removed, keepDays: days })
  }
  void (async () => {
    await clock.sleep(firstLookMs, signal)
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) logger.warn('old calls could not be removed from the audit', { ...describeThrown(error) })
      })
      await clock.sleep(lookMs, signal)
    }
  })()
}
