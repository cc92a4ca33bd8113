import type { Maybe } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { durationText } from './duration-text.ts'
import { keepAlive } from './keep-alive.ts'
import { type Fault, type Isolated, runIsolated } from './run-isolated.ts'

export interface TogetherOptions {
  /** Milliseconds for each task. */
  readonly limitMs: number
  /** Milliseconds for all of them. */
  readonly totalMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/**
 * Runs one task for each item at the same time, every one isolated, under a limit of its own and one for all.
 *
 * A task whose turn comes after the total is used up, by tasks that block the process, is not started and counts as
 * timed out. Never rejects; the results have the order of the items.
 */
export async function runTogether<T, R>(
  items: readonly T[],
  task: (item: T, signal: AbortSignal) => Maybe<R>,
  options: TogetherOptions,
): Promise<readonly Isolated<R>[]> {
  if (items.length === 0) return []
  const { limitMs, totalMs, clock } = options
  const startedAt = clock.now()
  const total = new AbortController()
  const done = new AbortController()
  const usedUp = new DOMException(`All of them together took ${totalMs} ms.`, 'TimeoutError')
  void clock.sleep(totalMs, done.signal).then(() => done.signal.aborted || total.abort(usedUp))
  const signal = options.signal === undefined ? total.signal : AbortSignal.any([options.signal, total.signal])

  const runs = items.map((item) => {
    // Tasks that have returned by now are done, though their promises are not: only what follows is cut.
    const isLate = clock.now() - startedAt >= totalMs
    return runIsolated((own) => task(item, own), {
      limitMs,
      clock,
      signal: isLate ? AbortSignal.abort(usedUp) : signal,
    })
  })
  const results = await keepAlive(Promise.all(runs))
  done.abort()
  return results.map((result) => (wasCut(result, usedUp) ? asTimedOut(result, totalMs) : result))
}

function wasCut<R>(result: Isolated<R>, usedUp: DOMException): result is Isolated<R> & { readonly ok: false } {
  return !result.ok && result.fault.kind === 'aborted' && result.fault.error === usedUp
}

function asTimedOut<R>(result: Isolated<R> & { readonly ok: false }, totalMs: number): Isolated<R> {
  const message = `It did not finish before all of them together had used up ${totalMs.toLocaleString('en')} ms.`
  return { ...result, fault: { ...result.fault, kind: 'timedOut', message, causes: [] } }
}

/** Words for a time-out: `didn't finish within 5 s`, or which limit of all `things` it met. */
export function timeOutText(fault: Fault, { limitMs, totalMs }: TogetherOptions, things: string): string {
  // Only a task that was cut by the total carries what cut it.
  return fault.error === undefined
    ? `didn't finish within ${durationText(limitMs)}`
    : `didn't finish before all ${things} together had used up ${durationText(totalMs)}`
}
