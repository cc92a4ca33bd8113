import type { Maybe } from '@rollcall/plugin'
import type { Clock } from '../ports/clock.ts'
import { describeThrown } from './describe-thrown.ts'

/** Why a task gave no value. Texts are redacted, escaped and bounded; `error` is the raw thing, for code only. */
export interface Fault {
  readonly kind: 'threw' | 'timedOut' | 'aborted'
  readonly message: string
  /** Messages of the causes, outermost first. */
  readonly causes: readonly string[]
  readonly error?: unknown
}

/** What became of an isolated task. */
export type Isolated<T> =
  | { readonly ok: true; readonly value: T; readonly durationMs: number }
  | { readonly ok: false; readonly fault: Fault; readonly durationMs: number }

export interface IsolationOptions {
  readonly limitMs: number
  readonly clock: Clock
  /** Ends the task early; a task whose signal is aborted already is not started. */
  readonly signal?: AbortSignal
}

/**
 * Runs foreign code so that it can cost nothing but its own value: the one guard for setups, listeners, lists and calls.
 *
 * The task's signal is aborted when its time is over or the outer signal aborts. What the task does after that is
 * ignored, a late rejection included. Never rejects.
 */
export function runIsolated<T>(
  task: (signal: AbortSignal) => Maybe<T>,
  options: IsolationOptions,
): Promise<Isolated<T>> {
  const { limitMs, clock, signal: outer } = options
  const startedAt = clock.now()
  const inner = new AbortController()
  const timer = new AbortController()

  return new Promise((resolve) => {
    let settled = false
    const settle = (end: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault }) => {
      if (settled) return false
      settled = true
      outer?.removeEventListener('abort', onOuterAbort)
      timer.abort()
      resolve({ ...end, durationMs: Math.max(0, clock.now() - startedAt) })
      return true
    }
    const onOuterAbort = () => {
      if (settle({ ok: false, fault: abortedFault(outer?.reason) })) inner.abort(outer?.reason)
    }
    const onTimeOver = () => {
      const message = `It did not finish within ${limitMs.toLocaleString('en')} ms.`
      if (settle({ ok: false, fault: { kind: 'timedOut', message, causes: [] } }))
        inner.abort(new DOMException(message, 'TimeoutError'))
    }

    if (outer?.aborted) return onOuterAbort()
    outer?.addEventListener('abort', onOuterAbort)
    // The executor turns a synchronous throw into a rejection, and a thenable into a promise.
    new Promise<T>((begin) => begin(task(inner.signal))).then(
      (value) => settle({ ok: true, value }),
      (error: unknown) => settle({ ok: false, fault: { kind: 'threw', ...describeThrown(error), error } }),
    )
    void clock.sleep(limitMs, timer.signal).then(onTimeOver)
  })
}

function abortedFault(reason: unknown): Fault {
  const { message, causes } = describeThrown(reason)
  return { kind: 'aborted', message: `It was stopped: ${message}`, causes, error: reason }
}
