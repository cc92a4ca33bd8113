import { hostname } from 'node:os'
import type { SinkOptions } from '../audit-options.ts'
import type { AuditRecord } from '../audit-record.ts'
import type { AuditSink, SinkParts } from './sink.ts'
import { sinkIdOf } from './sink-id.ts'

// RFC 5424, table 1: log audit.
const facility = 13
const notice = 5
const warning = 4

/** Messages of RFC 5424, the record as JSON; over TCP and TLS each with its length before it (RFC 6587). */
export function syslogSink(options: Extract<SinkOptions, { syslog: string }>, { sendToSocket }: SinkParts): AuditSink {
  const { syslog, allowPrivateNetwork = false } = options
  const id = sinkIdOf(options)
  const by = { name: `the audit sink ${id}`, allowPrivate: allowPrivateNetwork }
  const isStream = !syslog.startsWith('udp:')
  return {
    id,
    async deliver({ records }, signal) {
      const messages = records.map((record) => {
        const message = Buffer.from(toMessage(record))
        return isStream ? Buffer.concat([Buffer.from(`${message.length} `), message]) : message
      })
      await sendToSocket(new URL(syslog), messages, { ...by, signal })
    },
  }
}

function toMessage(record: AuditRecord): string {
  const severity = record.status === 'ok' ? notice : warning
  const host = hostname().replace(/[^\x21-\x7e]/g, '') || '-'
  const head = `<${facility * 8 + severity}>1 ${new Date(record.at).toISOString()} ${host} rollcall ${process.pid} audit -`
  return `${head} ${JSON.stringify(record)}`
}
