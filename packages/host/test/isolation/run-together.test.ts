import { describe, expect, it } from 'vitest'
import { runTogether, timeOutText } from '../../src/isolation/run-together.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'

const limits = { limitMs: 5_000, totalMs: 15_000 }

describe('runTogether', () => {
  it('gives the results in the order of the items, whoever was first', async () => {
    const clock = createManualClock()
    const running = runTogether([300, 100, 200], (ms) => clock.sleep(ms).then(() => ms), { ...limits, clock })
    await clock.advance(300)
    expect(await running).toMatchObject([300, 100, 200].map((value) => ({ ok: true, value, durationMs: value })))
  })

  it('limits each task by itself', async () => {
    const clock = createManualClock()
    const running = runTogether([0, 1], (index) => (index === 0 ? new Promise(() => {}) : 'done'), { ...limits, clock })
    await clock.advance(5_000)
    const [hanging, done] = await running
    expect(done).toMatchObject({ ok: true, value: 'done' })
    expect(hanging).toMatchObject({ ok: false, fault: { kind: 'timedOut' }, durationMs: 5_000 })
    if (hanging?.ok === false)
      expect(timeOutText(hanging.fault, { ...limits, clock }, 'setups')).toBe("didn't finish within 5 s")
  })

  it('cuts all that still run when the total is used up', async () => {
    const clock = createManualClock()
    const options = { limitMs: 5_000, totalMs: 2_000, clock }
    const running = runTogether([1_000, 3_000], (ms) => clock.sleep(ms), options)
    await clock.advance(2_000)
    const [first, second] = await running
    expect(first).toMatchObject({ ok: true })
    expect(second).toMatchObject({ ok: false, fault: { kind: 'timedOut' }, durationMs: 2_000 })
    if (second?.ok === false)
      expect(timeOutText(second.fault, options, 'setups')).toBe(
        "didn't finish before all setups together had used up 2 s",
      )
  })

  it('does not start a task after tasks that blocked the process have used up the total', async () => {
    let nowMs = 0
    const clock = { now: () => nowMs, sleep: systemClock.sleep }
    const started: number[] = []
    const results = await runTogether(
      [0, 1, 2, 3],
      (index) => {
        started.push(index)
        nowMs += 8_000
      },
      { ...limits, clock },
    )
    expect(started).toEqual([0, 1])
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false])
    expect(results[3]).toMatchObject({ fault: { kind: 'timedOut' } })
  })

  it('says of a task that the outer signal stopped that it was stopped', async () => {
    const closing = new AbortController()
    const running = runTogether([0], () => new Promise(() => {}), {
      ...limits,
      clock: systemClock,
      signal: closing.signal,
    })
    closing.abort(new Error('the host closes'))
    expect(await running).toMatchObject([{ ok: false, fault: { kind: 'aborted' } }])
  })

  it('runs five hundred without a warning of the process', async () => {
    const warnings: unknown[] = []
    const note = (warning: unknown) => warnings.push(warning)
    process.on('warning', note)
    const { signal } = new AbortController()
    const results = await runTogether([...Array(500).keys()], async (index) => index, {
      ...limits,
      clock: systemClock,
      signal,
    })
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(results.filter(({ ok }) => ok)).toHaveLength(500)
    expect(warnings).toEqual([])
  })

  it('gives nothing for nothing', async () => {
    expect(await runTogether([], () => 1, { ...limits, clock: createManualClock() })).toEqual([])
  })
})
