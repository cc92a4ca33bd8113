import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/ports/system-clock.ts'

describe('systemClock', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('tells the time since the epoch in milliseconds', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000)
  })

  it('wakes at once when the signal aborts, before or during the sleep, and takes its listener along', async () => {
    await systemClock.sleep(60_000, AbortSignal.abort())
    const controller = new AbortController()
    const sleeping = systemClock.sleep(60_000, controller.signal)
    controller.abort(new Error('no rejection'))
    await sleeping
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('sleeps longer than one timer can', async () => {
    vi.useFakeTimers()
    let awake = false
    void systemClock.sleep(2 ** 31 + 10).then(() => {
      awake = true
    })
    await vi.advanceTimersByTimeAsync(2 ** 31)
    expect(awake).toBe(false)
    await vi.advanceTimersByTimeAsync(10)
    expect(awake).toBe(true)
  })

  it('does not keep the process alive', async () => {
    const file = JSON.stringify(new URL('../../src/ports/system-clock.ts', import.meta.url).href)
    const program = `import(${file}).then(({ systemClock }) => { systemClock.sleep(600_000); console.log('left') })`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { timeout: 20_000 })
    expect(stdout.trim()).toBe('left')
  })
})
