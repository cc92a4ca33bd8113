import type { SinkOptions } from '../audit-options.ts'
import { otlpSink } from './otlp-sink.ts'
import type { AuditSink, SinkParts } from './sink.ts'
import { syslogSink } from './syslog-sink.ts'
import { webhookSink } from './webhook-sink.ts'

/** The sinks of a configuration; nothing is reached yet. */
export function createSinks(options: readonly SinkOptions[], parts: SinkParts): readonly AuditSink[] {
  return options.map((one) =>
    'webhook' in one ? webhookSink(one, parts) : 'syslog' in one ? syslogSink(one, parts) : otlpSink(one, parts),
  )
}
