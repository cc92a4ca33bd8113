import type { KeyObject } from 'node:crypto'
import type { Logger } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, StreamId } from '../store/store.ts'
import type { UnsignedAuditEvent } from './audit-event.ts'
import { signEvent } from './audit-key.ts'

const lookMs = 5_000
const everyLinks = 100
const everyMs = 60_000
const maxOthers = 200

/** Vouches for what this process writes, every 100 events or 60 seconds, and once more at the end. */
export interface Checkpoints {
  /** Writes a checkpoint now, if there is anything new. Never rejects: a call does not depend on it. */
  write(): Promise<void>
}

/** Begins to keep checkpoints of the store's own chain, until the signal aborts. */
export function keepCheckpoints(options: {
  readonly store: Store
  readonly key: KeyObject
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal
}): Checkpoints {
  const { store, key, clock, logger, signal } = options
  let vouchedFor = 0
  let at = clock.now()

  const write = async () => {
    const { link, digest } = store.chain
    if (link === vouchedFor || digest === '') return
    try {
      const others = (await store.chains())
        .filter(({ chain }) => chain !== store.chain.id)
        .slice(-maxOthers)
        .map(({ chain, to }) => ({ chain, upTo: to }))
      await appendSigned(store, key, { type: 'audit.checkpoint', chain: store.chain.id, link, digest, others })
      // The checkpoint is a link of its own, for which the next one vouches, together with others.
      vouchedFor = store.chain.link
      at = clock.now()
    } catch (error) {
      logger.warn('a checkpoint of the audit could not be written', { ...describeThrown(error) })
    }
  }
  void (async () => {
    while (!signal.aborted) {
      await clock.sleep(lookMs, signal)
      const fresh = store.chain.link - vouchedFor
      if (!signal.aborted && fresh > 0 && (fresh >= everyLinks || clock.now() - at >= everyMs)) await write()
    }
  })()
  return { write }
}

/** Appends a signed event to the audit stream of the store's own chain. @throws {RollcallError} `STORE_UNAVAILABLE`. */
export async function appendSigned(store: Store, key: KeyObject, event: UnsignedAuditEvent): Promise<void> {
  const stream: StreamId = `audit/${store.chain.id}`
  const head = { status: 'kept', principal: '' }
  for (;;) {
    const length = (await store.head(stream))?.length ?? 0
    if ((await store.append(stream, length, [signEvent(key, event)], head)) === 'appended') return
  }
}
