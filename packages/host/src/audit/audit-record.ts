import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { ApprovalChannel } from '../gate/profile.ts'
import type { CallEvent } from '../invoke/call-event.ts'
import type { Store, StreamId } from '../store/store.ts'
import { readContent } from './content-book.ts'

/** One call as the audit tells it: without its arguments and its result, unless those are kept and asked for. */
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
  /** Canonical arguments, where the operator has them kept and they were asked for. */
  readonly args?: string
  /** The text of the outcome, likewise. */
  readonly text?: string
}

/**
 * One call, read off its events.
 *
 * @param content whether what was kept of its content is told, too
 * @throws {RollcallError} `STORE_UNAVAILABLE`; of a sealed store that was opened without its key, content is not found.
 */
export async function recordOf(
  store: Store,
  stream: StreamId,
  { content = false }: { readonly content?: boolean } = {},
): Promise<AuditRecord | undefined> {
  let record: AuditRecord | undefined
  let args: ArgumentsDigest | undefined
  for await (const { event: stored, at } of store.read(stream)) {
    const event = stored as CallEvent
    if (event.type === 'call.proposed') {
      const { callId, tool, subject, principal, profile, effect, dataClass } = event
      const about = { callId, tool, ...(subject && { subject }), principal, profile, effect, dataClass }
      record = { at, ...about, verdict: '', decidedBy: '', why: '', status: 'open' }
      args = event.args
    } else if (record !== undefined) record = { ...record, ...partOf(event) }
    if (event.type === 'call.answered' && event.args !== undefined) args = event.args
  }
  if (record === undefined || !content || args === undefined) return record
  return { ...record, ...(await readContent(store, record, args)) }
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

/** Whether a denial says nothing that the one before it did not. */
export function isSameDenial(one: AuditRecord, other: AuditRecord): boolean {
  const key = ({ status, tool, principal, profile, decidedBy, code }: AuditRecord) =>
    status === 'denied' ? JSON.stringify([tool, principal, profile, decidedBy, code]) : undefined
  return key(one) !== undefined && key(one) === key(other)
}
