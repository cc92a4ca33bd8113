import type { Store } from '../store/store.ts'
import { type AuditRecord, isSameDenial, recordOf } from './audit-record.ts'

/**
 * The calls of a store, oldest first: a rendering of their events. Equal denials in a row are one record with a count.
 *
 * @param since milliseconds since the epoch
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function* readAudit(
  store: Store,
  since = 0,
  options: { readonly content?: boolean } = {},
): AsyncIterable<AuditRecord> {
  let held: AuditRecord | undefined
  for (const { stream } of await store.heads({ kind: 'call' })) {
    const record = await recordOf(store, stream, options)
    if (record === undefined || record.at < since) continue
    if (held !== undefined && isSameDenial(held, record)) {
      held = { ...held, times: (held.times ?? 1) + 1 }
      continue
    }
    if (held !== undefined) yield held
    held = record
  }
  if (held !== undefined) yield held
}
