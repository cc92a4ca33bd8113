import type { Json, JsonObject, SecretRef } from '@rollcall/plugin'
import type { CallDeps } from '../invoke/call-deps.ts'
import { readApproval } from '../invoke/list-pending.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { OutboundFetch } from '../outbound/outbound-fetch.ts'
import { webhookHeaders } from '../outbound/webhook-headers.ts'
import type { StreamId } from '../store/store.ts'
import { type NoticeStage, noticeOf } from './notice.ts'

/** The rows of this room in the settings of a store. */
export const noticePrefix = 'notice/'

const lookMs = 2_000
const answerMs = 10_000
const maxTries = 8
const longestPauseMs = 5 * 60_000

/** How far the notice of one call is. */
interface Notice {
  /** Kind and binding of the question. */
  readonly asked: string
  readonly stage: NoticeStage
  readonly sent: boolean
  readonly tries: number
  /** Milliseconds since the epoch: from then on anybody may try again. */
  readonly until: number
}

export interface TellingParts {
  readonly deps: CallDeps
  readonly fetch: OutboundFetch
  readonly resolveSecret: (ref: SecretRef) => Promise<string>
}

/**
 * Tells the webhooks of profiles about their waiting calls, and again when `escalateAfterMs` is over, until the host closes.
 * Of several processes on a store one sends each notice; a failed try is repeated, up to eight times.
 *
 * @returns what is called when a call begins to wait, so that nobody need look for it
 */
export function tellWaiting(parts: TellingParts): () => void {
  const { deps } = parts
  const { signal, clock, logger } = deps
  let wake = new AbortController()
  void (async () => {
    while (!signal.aborted) {
      await look(parts).catch((error: unknown) => {
        if (!signal.aborted) logger.warn('waiting calls could not be told', { ...describeThrown(error) })
      })
      await clock.sleep(lookMs, AbortSignal.any([signal, wake.signal]))
      wake = new AbortController()
    }
  })()
  return () => wake.abort()
}

async function look(parts: TellingParts): Promise<void> {
  const { store, signal } = parts.deps
  const heads = await store.heads({ kind: 'call', status: 'waiting' })
  const waiting = new Set(heads.map(({ stream }) => stream.slice('call/'.length)))
  for (const [key] of await store.settings.list(noticePrefix))
    if (!waiting.has(key.slice(noticePrefix.length))) await store.settings.set(key, null)
  for (const { stream } of heads) {
    if (signal.aborted) return
    await tell(parts, stream)
  }
}

async function tell({ deps, fetch, resolveSecret }: TellingParts, stream: StreamId): Promise<void> {
  const { store, clock, profiles, logger, signal } = deps
  const approval = await readApproval(deps, stream)
  const rules = approval && profiles.get(approval.profile)?.approvals
  if (approval === undefined || approval.decision !== undefined || rules?.notify === undefined) return
  const { pending } = approval
  if (pending.kind === 'unknown') return
  const now = clock.now()
  const isLate = rules.escalateAfterMs !== undefined && now >= approval.askedAt + rules.escalateAfterMs
  const stage: NoticeStage = isLate ? 'escalated' : 'requested'

  const key = `${noticePrefix}${pending.callId}`
  // First its values, then its approval: two questions about one call.
  const asked = `${pending.kind} ${pending.binds}`
  const row = await store.settings.get(key)
  const before = sameNotice(row?.value, asked, stage)
  if (before !== undefined && (before.sent || before.tries >= maxTries || before.until > now)) return
  const tries = (before?.tries ?? 0) + 1
  const pauseMs = Math.min(answerMs + 1000 * 2 ** tries, longestPauseMs)
  const notice: Notice = { asked, stage, sent: false, tries, until: now + pauseMs }
  // Whoever writes first sends it.
  if (!(await store.settings.set(key, notice as unknown as Json, row?.version ?? 0))) return

  const { webhook, secret, allowPrivateNetwork = false } = rules.notify
  try {
    const body = JSON.stringify(noticeOf({ ...approval, pending }, stage, now))
    const message = { id: `${pending.callId}.${pending.kind}.${stage}`, at: now, body }
    const headers = webhookHeaders(message, secret && (await resolveSecret(secret)))
    const by = { name: `the webhook of profile ${approval.profile}`, allowPrivate: allowPrivateNetwork }
    const limits = { redirects: 'refuse', answerWithinMs: answerMs } as const
    const response = await fetch(webhook, { method: 'POST', headers, body, signal }, { ...by, ...limits })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`It answered ${response.status}.`)
    await store.settings.set(key, { ...notice, sent: true } as unknown as Json)
  } catch (error) {
    if (signal.aborted) return
    const last = tries >= maxTries ? 'given up' : 'tried again'
    logger.warn(`a webhook could not be told of a waiting call; ${last}`, {
      profile: approval.profile,
      callId: pending.callId,
      tries,
      ...describeThrown(error),
    })
  }
}

/** What is known of this very notice; a call that changed, or waits for too long now, is told anew. */
function sameNotice(value: Json | undefined, asked: string, stage: NoticeStage): Notice | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const row = value as JsonObject & Partial<Notice>
  if (row.asked !== asked || typeof row.tries !== 'number' || typeof row.until !== 'number') return undefined
  if (row.stage !== stage && !(row.stage === 'escalated' && stage === 'requested')) return undefined
  return row as unknown as Notice
}
