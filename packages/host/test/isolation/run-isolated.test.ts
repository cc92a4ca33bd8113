import { getEventListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runIsolated } from '../../src/isolation/run-isolated.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts'

const unhandled: unknown[] = []
const noteUnhandled = (reason: unknown) => unhandled.push(reason)
let clock: ManualClock

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', noteUnhandled)
  clock = createManualClock(1_000)
})

afterEach(() => {
  process.off('unhandledRejection', noteUnhandled)
})

const run = <T>(task: (signal: AbortSignal) => T | Promise<T>, signal?: AbortSignal) =>
  runIsolated(task, { limitMs: 5_000, clock, ...(signal && { signal }) })

describe('runIsolated', () => {
  it('gives the value of a synchronous and of an asynchronous task', async () => {
    expect(await run(() => 7)).toEqual({ ok: true, value: 7, durationMs: 0 })
    const slow = run(async () => {
      await clock.sleep(40)
      return 'late'
    })
    await clock.advance(40)
    expect(await slow).toEqual({ ok: true, value: 'late', durationMs: 40 })
  })

  it('turns a synchronous throw and a rejection into a fault with its causes', async () => {
    const error = new Error('outer', { cause: new TypeError('inner') })
    const fault = { kind: 'threw', message: 'outer', causes: ['inner'], error }
    const threw = await run(() => {
      throw error
    })
    expect(threw).toEqual({ ok: false, fault, durationMs: 0 })
    expect(await run(() => Promise.reject(error))).toEqual({ ok: false, fault, durationMs: 0 })
  })

  it.each([
    [null, 'threw null'],
    [undefined, 'threw undefined'],
    [0, 'threw 0'],
    ['words', 'words'],
    [Symbol('s'), 'threw Symbol(s)'],
  ])('survives a thrown %s', async (thrown, message) => {
    const throwing = await run(() => {
      throw thrown
    })
    const rejecting = await run(() => Promise.reject(thrown))
    for (const result of [throwing, rejecting])
      expect(result).toMatchObject({ ok: false, fault: { kind: 'threw', message } })
  })

  it('awaits a thenable, and survives one that throws or answers twice', async () => {
    const thenable = (then: (fulfil: (value: number) => void) => void) => ({ then }) as unknown as Promise<number>
    expect(await run(() => thenable((fulfil) => fulfil(3)))).toMatchObject({ ok: true, value: 3 })
    const throwing = thenable(() => {
      throw new Error('no promise')
    })
    expect(await run(() => throwing)).toMatchObject({ ok: false, fault: { message: 'no promise' } })
    const twice = thenable((fulfil) => {
      fulfil(1)
      fulfil(2)
    })
    expect(await run(() => twice)).toMatchObject({ ok: true, value: 1 })
    const hostile = Object.defineProperty({}, 'then', {
      get() {
        throw new Error('a getter')
      },
    }) as Promise<number>
    expect(await run(() => hostile)).toMatchObject({ ok: false, fault: { message: 'a getter' } })
  })

  it('ends a task at its limit and aborts its signal with the reason', async () => {
    let given: AbortSignal | undefined
    const running = run((signal) => {
      given = signal
      return new Promise<never>(() => {})
    })
    await clock.advance(4_999)
    expect(given?.aborted).toBe(false)
    await clock.advance(1)
    const message = 'It did not finish within 5,000 ms.'
    expect(await running).toEqual({ ok: false, fault: { kind: 'timedOut', message, causes: [] }, durationMs: 5_000 })
    expect(given?.reason).toMatchObject({ name: 'TimeoutError', message })
  })

  it('never lets a rejection after the limit become an unhandled one', async () => {
    const late: { reject?: (error: Error) => void } = {}
    const running = run(() => new Promise((_, reject) => Object.assign(late, { reject })))
    await clock.advance(5_000)
    expect(await running).toMatchObject({ ok: false, fault: { kind: 'timedOut' } })
    late.reject?.(new Error('too late'))
    await clock.advance(0)
    expect(unhandled).toEqual([])
  })

  it('calls an end by the limit timed out, also where the task rejects because of it', async () => {
    const running = run(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    await clock.advance(5_000)
    expect(await running).toMatchObject({ ok: false, fault: { kind: 'timedOut' } })
  })

  it('ends a task when the outer signal aborts, and hands its reason on', async () => {
    const outer = new AbortController()
    let given: AbortSignal | undefined
    const running = run((signal) => {
      given = signal
      return new Promise<never>(() => {})
    }, outer.signal)
    const reason = new Error('the host closes')
    outer.abort(reason)
    expect(await running).toMatchObject({
      ok: false,
      fault: { kind: 'aborted', message: 'It was stopped: the host closes', error: reason },
    })
    expect(given?.reason).toBe(reason)
  })

  it('does not start a task whose outer signal is aborted already', async () => {
    let started = false
    const result = await run(() => {
      started = true
    }, AbortSignal.abort('closed'))
    expect(result).toMatchObject({ ok: false, fault: { kind: 'aborted', message: 'It was stopped: closed' } })
    expect(started).toBe(false)
  })

  it('leaves no listener on the outer signal and never aborts the signal of a settled task', async () => {
    const outer = new AbortController()
    let given: AbortSignal | undefined
    await run((signal) => {
      given = signal
    }, outer.signal)
    expect(getEventListeners(outer.signal, 'abort')).toEqual([])
    outer.abort()
    await clock.advance(60_000)
    expect(given?.aborted).toBe(false)
  })

  it('leaves no timer behind on the clock of the machine', async () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const signals: AbortSignal[] = []
    const clock = {
      now: systemClock.now,
      sleep: (ms: number, signal?: AbortSignal) => {
        if (signal) signals.push(signal)
        return systemClock.sleep(ms, signal)
      },
    }
    await runIsolated(() => 1, { limitMs: 60_000, clock })
    expect(signals.map((signal) => signal.aborted)).toEqual([true])
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(before)
    const timedOut = await runIsolated(() => delay(60_000, undefined, { ref: false }), {
      limitMs: 5,
      clock: systemClock,
    })
    expect(timedOut).toMatchObject({ ok: false, fault: { kind: 'timedOut' } })
  })
})
