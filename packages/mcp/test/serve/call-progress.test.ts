import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallProgress } from '../../src/serve/call-progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('createCallProgress', () => {
  it('says every few seconds that a person is awaited, and rises on through the call', () => {
    const sent: object[] = []
    const progress = createCallProgress((params) => sent.push(params))
    const stop = progress.awaitPerson()
    vi.advanceTimersByTime(11_000)
    stop()
    vi.advanceTimersByTime(60_000)
    progress.report({ done: 1, total: 4 })
    expect(sent).toEqual([
      { progress: 1, message: 'waiting for a person' },
      { progress: 2, message: 'waiting for a person' },
      { progress: 3, message: 'waiting for a person' },
      { progress: 4, total: 7 },
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('R-SEC-29 shows control characters of a message as text, on one line', () => {
    const sent: { message?: string }[] = []
    createCallProgress((params) => sent.push(params)).report({ done: 1, message: 'a\u001b[2J\r\nb' })
    expect(sent[0]?.message).toMatch(/^a[\x20-\x7e]+b$/)
  })
})
