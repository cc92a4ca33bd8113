import { webhookHeaders } from '../../outbound/webhook-headers.ts'
import type { SinkOptions } from '../audit-options.ts'
import { type AuditSink, answerMs, type SinkParts, toLines } from './sink.ts'
import { sinkIdOf } from './sink-id.ts'

/** JSON lines by POST; whatever answers with a status of 2xx has them. */
export function webhookSink(
  options: Extract<SinkOptions, { webhook: string }>,
  { fetch, resolveSecret, clock }: SinkParts,
): AuditSink {
  const { webhook, secret, allowPrivateNetwork = false } = options
  const id = sinkIdOf(options)
  const by = { name: `the audit sink ${id}`, allowPrivate: allowPrivateNetwork, redirects: 'refuse' } as const
  return {
    id,
    async deliver(batch, signal) {
      const body = toLines(batch.records)
      const message = { id: batch.id, at: clock.now(), body }
      const signed = webhookHeaders(message, secret && (await resolveSecret(secret)))
      const headers = { ...signed, 'content-type': 'application/x-ndjson' }
      const response = await fetch(
        webhook,
        { method: 'POST', headers, body, signal },
        { ...by, answerWithinMs: answerMs },
      )
      await response.body?.cancel()
      if (!response.ok) throw new Error(`It answered ${response.status}.`)
    },
  }
}
