import type { SecretRef } from '@rollcall/plugin'
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts'
import type { SendToSocket } from '../../outbound/send-to-socket.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditRecord } from '../audit-record.ts'

/** Records of calls that go out together. */
export interface Batch {
  /** The same at each try. */
  readonly id: string
  readonly records: readonly AuditRecord[]
}

/** A place to which records of calls are sent. */
export interface AuditSink {
  readonly id: string
  /** Resolves when they have arrived, as far as the way there tells; rejects otherwise. */
  deliver(batch: Batch, signal: AbortSignal): Promise<void>
}

/** What sinks reach the world by. */
export interface SinkParts {
  readonly fetch: OutboundFetch
  readonly sendToSocket: SendToSocket
  readonly resolveSecret: (ref: SecretRef) => Promise<string>
  readonly clock: Clock
}

/** Milliseconds within which an answer must begin. */
export const answerMs = 10_000

/** The records as JSON lines, in the words that `rollcall audit export` uses. */
export function toLines(records: readonly AuditRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
