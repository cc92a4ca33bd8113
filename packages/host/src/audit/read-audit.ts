import type { ApprovalChannel } from '../gate/profile.ts'
import type { CallEvent } from '../invoke/call-event.ts'
import type { Store } from '../store/store.ts'

/** One call as the audit tells it: never its arguments or its result. */
export interface AuditRecord {
  /** Milliseconds since the epoch at which it was proposed. */
  readonly at: number
  readonly callId: string
  readonly tool: string
  /** What it is, where it is no tool. */
  readonly subject?: string
  readonly principal: string
  readonly profile: string
  readonly effect: string
  readonly dataClass: string
  readonly verdict: string
  readonly decidedBy: string
  readonly why: string
  /** The person's word, where one was asked. */
  readonly decision?: {
    readonly by: string
    readonly answer: string
    readonly self: boolean
    readonly reason?: string
    /** By which way it came; absent where an older program wrote it. */
    readonly channel?: ApprovalChannel
  }
  readonly grant?: string
  /** `open`: it waits, runs, or its process was lost. */
  readonly status: 'ok' | 'failed' | 'denied' | 'cancelled' | 'unknown' | 'open'
  readonly code?: string
  readonly durationMs?: number
  /** How many equal denials in a row this one stands for. */
  readonly times?: number
}

/**
 * The calls of a store, oldest first: a rendering of their events. Equal denials in a row are one record with a count.
 *
 * @param since milliseconds since the epoch
 * @throws {RollcallError} `STORE_UNAVAILABLE`.
 */
export async function* readAudit(store: Store, since = 0): AsyncIterable<AuditRecord> {
  let held: AuditRecord | undefined
  for (const { stream } of await store.heads({ kind: 'call' })) {
    const record = await recordOf(store, stream)
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

async function recordOf(store: Store, stream: Parameters<Store['read']>[0]): Promise<AuditRecord | undefined> {
  let record: AuditRecord | undefined
  for await (const { event: stored, at } of store.read(stream)) {
    const event = stored as CallEvent
    if (event.type === 'call.proposed') {
      const { callId, tool, subject, principal, profile, effect, dataClass } = event
      const about = { callId, tool, ...(subject && { subject }), principal, profile, effect, dataClass }
      record = { at, ...about, verdict: '', decidedBy: '', why: '', status: 'open' }
    } else if (record !== undefined) record = { ...record, ...partOf(event) }
  }
  return record
}

function partOf(event: CallEvent): Partial<AuditRecord> {
  switch (event.type) {
    case 'call.gated': {
      const { verdict, decidedBy, why, grant } = event
      return { verdict, decidedBy, why, ...(grant !== undefined && { grant }) }
    }
    case 'call.answered': {
      const { by, answer, self, reason, channel } = event
      const word = { by, answer, self, ...(reason !== undefined && { reason }) }
      return { decision: { ...word, ...(channel !== undefined && { channel }) } }
    }
    case 'call.ended': {
      const { status, code, durationMs } = event
      return { status, durationMs, ...(code !== undefined && { code }) }
    }
    default:
      return {}
  }
}

function isSameDenial(one: AuditRecord, other: AuditRecord): boolean {
  const key = ({ status, tool, principal, profile, decidedBy, code }: AuditRecord) =>
    status === 'denied' ? JSON.stringify([tool, principal, profile, decidedBy, code]) : undefined
  return key(one) !== undefined && key(one) === key(other)
}
