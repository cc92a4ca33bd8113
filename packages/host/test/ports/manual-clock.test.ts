import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../src/testing/manual-clock.ts'

describe('createManualClock', () => {
  it('stands still until it is moved', async () => {
    const clock = createManualClock(500)
    expect(clock.now()).toBe(500)
    await clock.advance(25)
    expect(clock.now()).toBe(525)
  })

  it('wakes sleepers in the order of their moments, at their moments', async () => {
    const clock = createManualClock()
    const woken: string[] = []
    void clock.sleep(30).then(() => woken.push(`b ${clock.now()}`))
    void clock.sleep(10).then(() => woken.push(`a ${clock.now()}`))
    void clock.sleep(90).then(() => woken.push(`c ${clock.now()}`))
    await clock.advance(50)
    expect(woken).toEqual(['a 10', 'b 30'])
    await clock.advance(40)
    expect(woken).toEqual(['a 10', 'b 30', 'c 90'])
  })

  it('lets a woken sleeper sleep again within one advance', async () => {
    const clock = createManualClock()
    const ticks: number[] = []
    void (async () => {
      for (let tick = 0; tick < 3; tick += 1) {
        await clock.sleep(10)
        ticks.push(clock.now())
      }
    })()
    await clock.advance(100)
    expect(ticks).toEqual([10, 20, 30])
    expect(clock.now()).toBe(100)
  })

  it('wakes an aborted sleeper without moving', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const sleeping = clock.sleep(10, controller.signal)
    controller.abort()
    await sleeping
    await clock.sleep(10, controller.signal)
    expect(clock.now()).toBe(0)
  })
})
