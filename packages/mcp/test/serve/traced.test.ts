import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createHost, localClient, type ProviderCall } from '@rollcall/host'
import { afterAll, expect, it } from 'vitest'
import { createFace } from '../../src/serve/create-face.ts'
import { listen } from './listen.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
afterAll(() => trace.disable())

it('R-GOV-65 a call is a part of the trace of the client, and the server of the call', async () => {
  const calls: ProviderCall[] = []
  await using host = await createHost({
    providers: {
      ev: { server: { command: 'unused' }, dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' },
    },
    profiles: [{ name: 'default', zone: 'local' }],
    connectMcp: async () => ({
      list: async () => ({
        tools: [{ name: 'echo', definition: { inputSchema: { type: 'object' } } }],
        holds: [],
        findings: [],
        detail: '',
      }),
      call: async (_tool, _args, call) => {
        calls.push(call)
        return { content: [] }
      },
      [Symbol.asyncDispose]: async () => {},
    }),
  })
  await using listening = await listen(
    createFace(host, { profiles: [], authenticate: async () => ({ principal: localClient }) }),
  )
  const client = new Client({ name: 'tester', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${listening.origin}/mcp`)))
  const traceId = 'c'.repeat(32)
  const _meta = { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` }
  await client.callTool({ name: 'ev__echo', arguments: {}, _meta })
  await client.close()
  const span = exporter.getFinishedSpans().find(({ name }) => name === 'execute_tool ev__echo')
  expect(span?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.type': 'extension' })
  expect(span?.spanContext().traceId).toBe(traceId)
  expect(calls[0]?.meta).toEqual({ traceparent: `00-${traceId}-${span?.spanContext().spanId}-01` })
})
