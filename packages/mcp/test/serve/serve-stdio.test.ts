import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import {
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { localClient } from '@rollcall/host'
import { describe, expect, it } from 'vitest'
import { serveStdio } from '../../src/serve/serve-stdio.ts'
import { createStubHost, ok, type StubTool } from './stub-host.ts'
import { until } from './until.ts'

function serving(tools: readonly StubTool[], signal?: AbortSignal, lastAnswersMs?: number, bare?: string) {
  const stub = createStubHost(tools)
  const input = new PassThrough()
  const output = new PassThrough()
  const over = serveStdio(stub.host, {
    profile: 'default',
    principal: localClient,
    input,
    output,
    ...(signal && { signal }),
    ...(lastAnswersMs !== undefined && { lastAnswersMs }),
    ...(bare !== undefined && { bare }),
  })
  return { ...stub, input, output, over }
}

/** The client's end of a pair of streams. */
function linesOver(input: Writable, output: Readable): Transport & { readonly lines: string[] } {
  const lines: string[] = []
  let rest = ''
  const transport: Transport & { readonly lines: string[] } = {
    lines,
    async start() {
      output.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split('\n')
        rest = parts.pop() ?? ''
        for (const line of parts) {
          lines.push(line)
          transport.onmessage?.(JSON.parse(line))
        }
      })
    },
    async send(message: JSONRPCMessage) {
      input.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      input.end()
      transport.onclose?.()
    },
  }
  return transport
}

describe('serveStdio', () => {
  it('serves one client until its input ends, and writes nothing but protocol messages', async () => {
    const { input, output, over, change, listeners } = serving([{ name: 'notes__a' }])
    const client = new Client({ name: 'tester', version: '1' })
    const transport = linesOver(input, output)
    await client.connect(transport)
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['notes__a'])
    expect(await client.callTool({ name: 'notes__a' })).toMatchObject({ content: [{ text: 'done' }] })
    await expect(client.callTool({ name: 'notes__void' })).rejects.toMatchObject({ code: -32602 })

    const told: number[] = []
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push(1))
    change([{ name: 'notes__b' }])
    await until(() => told.length === 1)

    await client.close()
    await over
    expect(transport.lines.every((line) => JSON.parse(line).jsonrpc === '2.0')).toBe(true)
    expect(listeners()).toBe(0)
  })

  it('goes on after a line that is no message', async () => {
    const { input, output, over } = serving([{ name: 'notes__a' }])
    input.write('not json\n{"hello":1}\n\n')
    const client = new Client({ name: 'tester', version: '1' })
    await client.connect(linesOver(input, output))
    expect((await client.listTools()).tools).toHaveLength(1)
    await client.close()
    await over
  })

  it.each(['the input ended a while ago', 'the signal aborts', 'the output breaks'])(
    'aborts the calls in flight when %s',
    async (how) => {
      const stop = new AbortController()
      let called: AbortSignal | undefined
      const run: StubTool['run'] = (_, { signal }) => {
        called = signal
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () =>
            resolve({ status: 'cancelled', callId: 'c', text: '', durationMs: 1 }),
          )
        })
      }
      const { input, output, over } = serving([{ name: 'notes__slow', run }], stop.signal, 50)
      const client = new Client({ name: 'tester', version: '1' })
      await client.connect(linesOver(input, output))
      const call = client.callTool({ name: 'notes__slow' }).catch((error: unknown) => error)
      await until(() => called !== undefined)
      if (how === 'the input ended a while ago') input.end()
      else if (how === 'the signal aborts') stop.abort()
      else output.destroy(new TypeError('broken pipe'))
      await over
      expect(called?.aborted).toBe(true)
      await client.close()
      expect(await call).toBeInstanceOf(Error)
    },
  )

  it('answers what was asked before the input ended, and ends then without further waiting', async () => {
    const gate = Promise.withResolvers<void>()
    const run = async () => {
      await gate.promise
      return ok({ content: [{ type: 'text', text: 'late' }] })
    }
    const { input, output, over } = serving([{ name: 'notes__slow', run }], undefined, 60_000)
    const request = (id: number, method: string, params: object) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}
`
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'script', version: '1' } }
    input.write(request(1, 'initialize', client))
    input.write(request(2, 'tools/list', {}))
    input.end(request(3, 'tools/call', { name: 'notes__slow', arguments: {} }))
    const lines = linesOver(input, output)
    await lines.start()
    await until(() => lines.lines.length === 2)
    gate.resolve()
    await over
    await until(() => lines.lines.length === 3)
    expect(lines.lines.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3])
    expect(lines.lines[2]).toContain('late')
  })

  it('does not wait for what the client has cancelled itself', async () => {
    const run: StubTool['run'] = (_, { signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ status: 'cancelled', callId: 'c', text: '', durationMs: 1 }))
      })
    const { input, output, over, lastCall } = serving([{ name: 'notes__slow', run }], undefined, 60_000)
    const client = new Client({ name: 'tester', version: '1' })
    await client.connect(linesOver(input, output))
    const cancel = new AbortController()
    const call = client.callTool({ name: 'notes__slow' }, undefined, { signal: cancel.signal })
    const failed = call.catch((error: unknown) => error)
    await until(() => lastCall() !== undefined)
    cancel.abort()
    expect(await failed).toBeInstanceOf(Error)
    input.end()
    await over
  })

  it('asks the client what servers ask, and tells it what they say', async () => {
    const run: StubTool['run'] = async (_, { caller, signal = new AbortController().signal }) => {
      caller?.notify?.('notifications/message', { level: 'info', data: 'asking' })
      const answer = await caller?.roots?.(signal)
      return ok({ content: [], structured: { answer } })
    }
    const { input, output, over } = serving([{ name: 'notes__asks', run }])
    const client = new Client({ name: 'tester', version: '1' }, { capabilities: { roots: {} } })
    const roots = { roots: [{ uri: 'file:///srv', name: 'srv' }] }
    client.setRequestHandler(ListRootsRequestSchema, () => roots)
    const logs: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data))
    await client.connect(linesOver(input, output))
    expect(await client.callTool({ name: 'notes__asks' })).toMatchObject({ structuredContent: { answer: roots } })
    expect(logs).toEqual(['asking'])
    await client.close()
    await over
  })

  it('serves one bare provider under the names of its server, also over a socket', async () => {
    const { host } = createStubHost([{ name: 'notes__a' }, { name: 'mail__b' }])
    const over: Promise<void>[] = []
    const server = createServer((socket) => {
      const options = { profile: 'default', principal: localClient, input: socket, output: socket, bare: 'notes' }
      over.push(serveStdio(host, options).finally(() => socket.end()))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const client = new Client({ name: 'tester', version: '1' })
    await client.connect(linesOver(socket, socket))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a'])
    expect(await client.callTool({ name: 'a' })).toMatchObject({ content: [{ text: 'done' }] })
    await client.close()
    await Promise.all(over)
    server.close()
    await once(server, 'close')
  })

  it('cancels a request of the id 0, and answers each of two that have the same id', async () => {
    const { input, output, over, lastCall } = serving([
      { name: 'notes__a' },
      {
        name: 'notes__slow',
        run: (_, { signal }) =>
          new Promise((resolve) => {
            signal?.addEventListener('abort', () =>
              resolve({ status: 'cancelled', callId: 'c', text: '', durationMs: 1 }),
            )
          }),
      },
    ])
    const lines = linesOver(input, output)
    await lines.start()
    const send = (message: object) => lines.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'script', version: '1' } }
    await send({ id: 'begin', method: 'initialize', params: client })
    await send({ id: 0, method: 'tools/call', params: { name: 'notes__slow' } })
    await until(() => lastCall() !== undefined)
    await send({ method: 'notifications/cancelled', params: { requestId: 0 } })
    await until(() => lastCall()?.signal?.aborted === true)
    await send({ id: 7, method: 'tools/call', params: { name: 'notes__a' } })
    await send({ id: 7, method: 'tools/list' })
    input.end()
    await over
    await until(() => lines.lines.length === 3)
    expect(lines.lines.map((line) => JSON.parse(line).id)).toEqual(['begin', 7, 7])
  })

  it('does not begin when it was stopped before', async () => {
    const { over, output } = serving([], AbortSignal.abort())
    await over
    expect(output.readableLength).toBe(0)
  })

  it('ends at once where the input has ended before', async () => {
    const stub = createStubHost([])
    const input = new PassThrough()
    input.end()
    input.resume()
    await once(input, 'end')
    await serveStdio(stub.host, { profile: 'default', principal: localClient, input, output: new PassThrough() })
    expect(stub.listeners()).toBe(0)
  })
})
