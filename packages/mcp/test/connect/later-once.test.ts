import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LaterOnce } from '../../src/connect/later-once.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('work that is done later, once', () => {
  it('answers a storm of wishes with one run, and the next storm not too soon', async () => {
    const runs: number[] = []
    const later = new LaterOnce(async () => void runs.push(performance.now()), { afterMs: 250, apartMs: 5_000 })
    const start = performance.now()
    for (let at = 0; at < 200; at += 1) later.ask()
    await vi.advanceTimersByTimeAsync(300)
    for (let at = 0; at < 200; at += 1) later.ask()
    await vi.advanceTimersByTimeAsync(20_000)
    later.ask()
    await vi.advanceTimersByTimeAsync(300)
    expect(runs.map((at) => at - start)).toEqual([250, 5_250, 20_550])
  })

  it('is not done any more after its end', async () => {
    const runs: number[] = []
    const later = new LaterOnce(async () => void runs.push(1), { afterMs: 250, apartMs: 5_000 })
    later.ask()
    later.stop()
    later.ask()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(runs).toEqual([])
  })
})
