import { SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { localUser } from '../../src/gate/local-user.ts'
import { asLocal, hostWith } from '../invoke/host-with.ts'
import { readingTool, writingTool } from '../plugins-in-code.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
beforeEach(() => exporter.reset())
afterAll(() => trace.disable())

const spans = () =>
  exporter.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status: status.code }))

describe('the spans of a call', () => {
  it('R-GOV-64 name the tool, the verdict and the end by the conventions, and hold no argument and no result', async () => {
    await using app = await hostWith([readingTool('look')])
    const outcome = await app.host.tools.call('app__look', { text: 'S3CRET' }, asLocal)
    expect(spans()).toMatchObject([
      { name: 'rollcall.gate', attributes: { 'rollcall.gate.verdict': 'allow', 'rollcall.gate.rule': 'approval' } },
      {
        name: 'execute_tool app__look',
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'app__look',
          'gen_ai.tool.call.id': outcome.callId,
          'gen_ai.tool.type': 'function',
          'rollcall.status': 'ok',
        },
        status: SpanStatusCode.UNSET,
      },
    ])
    expect(JSON.stringify(spans())).not.toContain('S3CRET')
    const [gate, call] = exporter.getFinishedSpans()
    expect(gate?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId)
  })

  it('R-GOV-64 of a denied call leave the evidence: the rule, and the code', async () => {
    await using app = await hostWith([writingTool('write', [])])
    await app.host.switches.disable({ kind: 'tool', name: 'app__write' }, 'test')
    await app.host.tools.call('app__write', { text: 'x' }, asLocal)
    expect(spans()).toMatchObject([
      { attributes: { 'rollcall.gate.verdict': 'deny', 'rollcall.gate.rule': 'held' }, status: SpanStatusCode.ERROR },
      { attributes: { 'error.type': 'TOOL_HELD', 'rollcall.status': 'denied' }, status: SpanStatusCode.ERROR },
    ])
  })

  it('R-GOV-65 belong to the trace of the caller', async () => {
    await using host = await hostWith([readingTool('look')])
    const traceId = 'a'.repeat(32)
    const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`
    await host.host.tools.call('app__look', {}, { principal: localUser, trace: { traceparent } })
    const call = exporter.getFinishedSpans().find(({ name }) => name.startsWith('execute_tool'))
    expect(call?.spanContext().traceId).toBe(traceId)
    expect(call?.parentSpanContext?.spanId).toBe('b'.repeat(16))
    await host.host.tools.call('app__look', {}, { principal: localUser, trace: { traceparent: '00-nonsense' } })
    expect(exporter.getFinishedSpans().at(-1)?.parentSpanContext).toBeUndefined()
  })
})
