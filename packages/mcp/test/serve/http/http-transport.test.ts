import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { HttpTransport } from '../../../src/serve/http/http-transport.ts'

type Sent = JSONRPCMessage & { readonly id?: number | string; readonly method?: string; readonly params?: object }

function started() {
  const transport = new HttpTransport('session-1')
  const received: Sent[] = []
  transport.onmessage = (message) => void received.push(message as Sent)
  const post = (...messages: JSONRPCMessage[]) =>
    transport.post(messages, { isBatch: false, signal: new AbortController().signal })
  return { transport, received, post }
}

const call = (id: number | string): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} })

describe('HttpTransport', () => {
  it('gives each its own response where a client uses an id twice at a time', async () => {
    const { transport, received, post } = started()
    const first = post(call(7))
    const second = post(call(7))
    const [one, two] = received.map(({ id }) => id)
    if (one === undefined || two === undefined) expect.unreachable('both requests arrive')
    expect(one).not.toBe(two)
    await transport.send({ jsonrpc: '2.0', id: two, result: { n: 2 } })
    await transport.send({ jsonrpc: '2.0', id: one, result: { n: 1 } })
    expect(await (await first).json()).toEqual({ jsonrpc: '2.0', id: 7, result: { n: 1 } })
    expect(await (await second).json()).toEqual({ jsonrpc: '2.0', id: 7, result: { n: 2 } })
    expect(transport.openAnswers).toBe(0)
  })

  it('cancels by the id of the client, tells it apart from its text, and ignores unknown ones', async () => {
    const { transport, received, post } = started()
    const answer = post(call('7'))
    const cancel = (requestId: number | string) =>
      post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    expect((await cancel(7)).status).toBe(202)
    expect(received).toHaveLength(1)
    await cancel('7')
    expect(received[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: received[0]?.id } })
    expect(await (await answer).text()).toBe('')
    await transport.send({ jsonrpc: '2.0', id: received[0]?.id ?? 0, result: {} })
    expect(transport.openAnswers).toBe(0)
  })

  it('drops what belongs to nobody any more', async () => {
    const { transport } = started()
    await transport.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    await transport.send({ jsonrpc: '2.0', method: 'notifications/progress' }, { relatedRequestId: 99 })
    await transport.send({ jsonrpc: '2.0', id: 'other', result: {} })
    await transport.close()
    await transport.close()
    expect(transport.hasStream).toBe(false)
  })
})
