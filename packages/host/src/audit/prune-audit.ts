import type { KeyObject } from 'node:crypto'
import type { Digest, Json } from '@rollcall/plugin'
import type { Store, StreamId } from '../store/store.ts'
import { asAuditEvent, type Cut } from './audit-event.ts'
import { appendSigned } from './keep-checkpoints.ts'

/** Heads of these states are over: nobody waits for them. */
const over = new Set(['ok', 'failed', 'denied', 'cancelled', 'unknown', 'kept', 'ended', 'completed'])

/**
 * Removes the events of calls that were over before a time: of each chain its beginning, as far as it holds nothing else.
 * What is cut is signed before it is removed, so that the rest can still be checked.
 *
 * @param before milliseconds since the epoch
 * @returns the number of events that were removed
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function pruneAudit(store: Store, key: KeyObject, before: number): Promise<number> {
  const chains = await store.chains()
  const known = await cutsBefore(
    store,
    chains.map(({ chain }) => chain),
  )
  const fresh: Cut[] = []
  for (const { chain } of chains) {
    const cut = await cutOf(store, chain, before)
    if (cut !== undefined) fresh.push(cut)
  }
  if (fresh.length === 0) return 0
  const cuts = new Map([...known, ...fresh].map((cut) => [cut.chain, cut]))
  await appendSigned(store, key, { type: 'audit.pruned', cuts: [...cuts.values()] })
  return await store.prune(fresh)
}

/** How far a chain may be cut: up to the first event that is young, or of a call that is not over. */
async function cutOf(store: Store, chain: string, before: number): Promise<Cut | undefined> {
  let upTo = 0
  let digest: Digest | undefined
  const isOver = new Map<StreamId, boolean>()
  for await (const row of store.links(chain)) {
    if (row.at >= before) break
    // Its own words about cuts are said again by the next ones; those of now stand behind everything old.
    let done = isOver.get(row.stream)
    if (done === undefined) {
      const head = await store.head(row.stream)
      done = head === undefined || over.has(head.status)
      isOver.set(row.stream, done)
    }
    if (!done) break
    upTo = row.link
    digest = row.digest
  }
  return digest === undefined ? undefined : { chain, upTo, digest }
}

async function cutsBefore(store: Store, chains: readonly string[]): Promise<readonly Cut[]> {
  const cuts = new Map<string, Cut>()
  for (const chain of chains) {
    for await (const { event } of store.read(`audit/${chain}`)) {
      const found = asAuditEvent(event as unknown as Json)
      if (found?.type !== 'audit.pruned') continue
      for (const cut of found.cuts) if (cut.upTo > (cuts.get(cut.chain)?.upTo ?? 0)) cuts.set(cut.chain, cut)
    }
  }
  return [...cuts.values()]
}
