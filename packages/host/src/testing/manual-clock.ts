import type { Clock } from '../ports/clock.ts'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves the time on and wakes each sleeper at its own moment, in order. Between two of them what was waiting for
   * promises gets its turn, so a sleeper may sleep again within the same advance.
   */
  advance(ms: number): Promise<void>
}

/** Makes a clock for tests. @param startMs milliseconds since the epoch; default 0. */
export function createManualClock(startMs = 0): ManualClock {
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  let nowMs = startMs

  return {
    now: () => nowMs,

    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const sleeper = { at: nowMs + Math.max(0, ms), wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake)
      })
    },

    async advance(ms) {
      const endMs = nowMs + ms
      await settlePromises()
      for (;;) {
        const next = [...sleepers].sort((one, other) => one.at - other.at)[0]
        if (next === undefined || next.at > endMs) break
        nowMs = Math.max(nowMs, next.at)
        next.wake()
        await settlePromises()
      }
      nowMs = endMs
      await settlePromises()
    },
  }
}

/** A turn of the event loop: every promise that can settle without I/O has done so after it. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
