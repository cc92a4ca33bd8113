import type { Clock } from './clock.ts'

// Node fires a longer timer at once.
const longestTimerMs = 2 ** 31 - 1

/** The time of this machine; its timers don't keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),

  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      let timer: NodeJS.Timeout | undefined
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const wait = (leftMs: number) => {
        const partMs = Math.min(leftMs, longestTimerMs)
        timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : wake()), partMs).unref()
      }
      signal?.addEventListener('abort', wake)
      wait(ms)
    })
  },
}
