import { type Attributes, type Context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { CatalogueEntry } from '../catalogue/catalogue.ts'
import type { Verdict } from '../gate/gate.ts'
import type { ToolOutcome } from '../invoke/outcome.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import { spanNames } from './span-names.ts'
import { parentContext } from './trace-context.ts'

/** The spans of one call. Arguments and results are in none of them. */
export interface CallTrace {
  /** In which the call works: what it starts is a child of its span. */
  readonly context: Context
  /** The tool that was found. */
  found(entry: CatalogueEntry): void
  /** What the gate said: a span of its own, so that a denied call leaves its evidence. */
  gated(verdict: Verdict): void
}

/**
 * Runs a call within a span. Where the application has set up no tracer provider, this does nothing.
 *
 * @param run never rejects
 */
export async function traceCall(
  tool: string,
  callId: string,
  options: CallOptions,
  run: (trace: CallTrace) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const tracer = trace.getTracer(spanNames.tracer)
  const parent = parentContext(options.trace)
  // Callers may be wrong about anything; that is told by the call, not by its trace.
  const name = String(tool).slice(0, 128)
  const { principal } = options as Partial<CallOptions>
  const attributes: Attributes = {
    [spanNames.operation]: spanNames.executeTool,
    [spanNames.toolName]: name,
    [spanNames.toolCallId]: callId,
    [spanNames.profile]: options.profile ?? 'direct',
    [spanNames.principal]: principal?.id ?? '',
  }
  const span = tracer.startSpan(`${spanNames.executeTool} ${name}`, { kind: SpanKind.INTERNAL, attributes }, parent)
  const own = trace.setSpan(parent, span)
  try {
    const outcome = await run({
      context: own,
      found: (entry) => span.setAttributes(aboutTool(entry, options)),
      gated({ verdict, decidedBy }) {
        const said = { [spanNames.verdict]: verdict, [spanNames.rule]: decidedBy }
        const gate = tracer.startSpan(spanNames.gate, { attributes: said }, own)
        if (verdict === 'deny') gate.setStatus({ code: SpanStatusCode.ERROR })
        gate.end()
      },
    })
    span.setAttribute(spanNames.status, outcome.status)
    if (outcome.status !== 'ok' && outcome.status !== 'waiting') {
      span.setAttribute(spanNames.errorType, 'code' in outcome ? outcome.code : outcome.status)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    return outcome
  } finally {
    span.end()
  }
}

function aboutTool({ appId, kind, traits }: CatalogueEntry, { client }: CallOptions): Attributes {
  return {
    [spanNames.appId]: appId,
    [spanNames.toolType]: kind === 'mcp' ? 'extension' : 'function',
    [spanNames.effect]: traits.effect,
    [spanNames.dataClass]: traits.dataClass,
    ...(kind === 'mcp' && { [spanNames.mcpMethod]: 'tools/call' }),
    ...(client !== undefined && { [spanNames.mcpSession]: client.session }),
  }
}
