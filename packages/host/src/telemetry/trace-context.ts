import { type Context, context, isSpanContextValid, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api'
import type { JsonObject } from '@rollcall/plugin'

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The trace in which a caller works, as it stands in the `_meta` of its request. */
export interface CallerTrace {
  readonly traceparent: string
  readonly tracestate?: string
}

/** What a span of ours is the child of: the caller's, or the one that is active in this process. */
export function parentContext(caller: CallerTrace | undefined): Context {
  const [, traceId, spanId, flags] = caller === undefined ? [] : (traceparent.exec(caller.traceparent) ?? [])
  if (traceId === undefined || spanId === undefined || flags === undefined) return context.active()
  const remote: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return trace.setSpanContext(ROOT_CONTEXT, remote)
}

/** How a server is told of the trace it works in; nothing where nobody traces. @see W3C Trace Context */
export function traceMeta(own: Context | undefined): JsonObject | undefined {
  const span = own && trace.getSpanContext(own)
  if (span === undefined || !isSpanContextValid(span)) return undefined
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}` }
}
