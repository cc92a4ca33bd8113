import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPostAnswer } from '../../../src/serve/http/post-answer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const result = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} })
const progress = { jsonrpc: '2.0' as const, method: 'notifications/progress', params: { progress: 1 } }

function begin(requests = 1, isBatch = false) {
  const leave = new AbortController()
  const seen: string[] = []
  const answer = createPostAnswer({
    requests,
    isBatch,
    headers: { 'mcp-session-id': 's' },
    signal: leave.signal,
    onGone: () => seen.push('gone'),
    onEnd: () => seen.push('end'),
  })
  return { answer, leave, seen }
}

const dataOf = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))

describe('createPostAnswer', () => {
  it('answers by JSON where the response is all there is to say', async () => {
    const { answer, seen } = begin()
    answer.settle(result(1))
    const response = await answer.response
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('mcp-session-id')).toBe('s')
    expect(await response.json()).toEqual(result(1))
    expect(seen).toEqual(['end'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('answers by events once something else was said, in order', async () => {
    const { answer } = begin(2, true)
    answer.settle(result(1))
    answer.tell(progress)
    answer.settle(result(2))
    const response = await answer.response
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(dataOf(await response.text())).toEqual([result(1), progress, result(2)])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('answers by events that keep the connection alive where the response takes its time', async () => {
    const { answer } = begin()
    vi.advanceTimersByTime(20_000)
    answer.settle(result(1))
    const text = await (await answer.response).text()
    expect(text).toMatch(/^: keepalive\n\n/)
    expect(dataOf(text)).toEqual([result(1)])
  })

  it('gives what has come of a batch of which one request was cancelled', async () => {
    const { answer } = begin(2, true)
    answer.settle(undefined)
    answer.settle(result(2))
    expect(await (await answer.response).json()).toEqual([result(2)])
  })

  it('tells once that the client has gone, before and after the answer began', async () => {
    const before = begin()
    before.leave.abort()
    before.leave.abort()
    before.answer.settle(result(1))
    expect(before.seen).toEqual(['end', 'gone'])

    const after = begin()
    after.answer.tell(progress)
    await (await after.answer.response).body?.cancel()
    after.answer.settle(result(1))
    expect(after.seen).toEqual(['end', 'gone'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('notices a client that had gone before', async () => {
    const leave = AbortSignal.abort()
    const seen: string[] = []
    createPostAnswer({
      requests: 1,
      isBatch: false,
      headers: {},
      signal: leave,
      onGone: () => seen.push('gone'),
      onEnd: () => seen.push('end'),
    })
    expect(seen).toEqual([])
    await Promise.resolve()
    expect(seen).toEqual(['end', 'gone'])
  })
})
