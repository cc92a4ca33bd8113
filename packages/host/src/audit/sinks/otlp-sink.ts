import type { Json } from '@rollcall/plugin'
import { version } from '../../version.ts'
import type { SinkOptions } from '../audit-options.ts'
import type { AuditRecord } from '../audit-record.ts'
import { type AuditSink, answerMs, type SinkParts } from './sink.ts'
import { sinkIdOf } from './sink-id.ts'

const info = { severityNumber: 9, severityText: 'INFO' }
const warn = { severityNumber: 13, severityText: 'WARN' }

/**
 * Log records of OTLP over HTTP, in its JSON form: through the one way out of the host, which an exporter of its own would
 * not take.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export function otlpSink(options: Extract<SinkOptions, { otlp: string }>, parts: SinkParts): AuditSink {
  const { otlp, headers = {}, allowPrivateNetwork = false } = options
  const id = sinkIdOf(options)
  const by = { name: `the audit sink ${id}`, allowPrivate: allowPrivateNetwork, redirects: 'refuse' } as const
  const url = new URL(otlp)
  if (url.pathname === '/') url.pathname = '/v1/logs'
  return {
    id,
    async deliver({ records }, signal) {
      const own: Record<string, string> = { 'content-type': 'application/json' }
      for (const [name, value] of Object.entries(headers))
        own[name] = typeof value === 'string' ? value : await parts.resolveSecret(value)
      const init = { method: 'POST', headers: own, body: JSON.stringify(toRequest(records)), signal }
      const response = await parts.fetch(url, init, { ...by, answerWithinMs: answerMs })
      const text = await response.text()
      if (!response.ok) throw new Error(`It answered ${response.status}.`)
      // A collector may take a request and refuse some of what is in it; that is not to be sent again.
      const refused = /"rejectedLogRecords"\s*:\s*"?(\d+)/.exec(text)?.[1] ?? '0'
      if (refused !== '0') throw new PartlyRefused(Number(refused))
    },
  }
}

/** The collector has taken the rest. */
export class PartlyRefused extends Error {
  constructor(count: number) {
    super(`It refused ${count} records for good.`)
    this.name = 'PartlyRefused'
  }
}

function toRequest(records: readonly AuditRecord[]): Json {
  const resource = { attributes: [attribute('service.name', 'rollcall'), attribute('service.version', version)] }
  return {
    resourceLogs: [
      { resource, scopeLogs: [{ scope: { name: 'rollcall.audit', version }, logRecords: records.map(toLog) }] },
    ],
  }
}

function toLog(record: AuditRecord): Json {
  const { at, tool, status, callId, durationMs, decision, ...rest } = record
  const attributes = [
    attribute('gen_ai.tool.name', tool),
    attribute('gen_ai.tool.call.id', callId),
    attribute('rollcall.status', status),
    ...(durationMs === undefined ? [] : [attribute('rollcall.duration_ms', durationMs)]),
    ...(decision === undefined
      ? []
      : Object.entries(decision).map(([key, value]) => attribute(`rollcall.decision.${key}`, value))),
    ...Object.entries(rest).flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [attribute(`rollcall.${toSnake(key)}`, value)] : [],
    ),
  ]
  const nanoseconds = String(BigInt(Math.trunc(at)) * 1_000_000n)
  const severity = status === 'ok' ? info : warn
  return { timeUnixNano: nanoseconds, ...severity, body: { stringValue: `${tool}: ${status}` }, attributes }
}

function attribute(key: string, value: string | number | boolean): Json {
  if (typeof value === 'boolean') return { key, value: { boolValue: value } }
  if (typeof value === 'number')
    return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }
  return { key, value: { stringValue: value } }
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
