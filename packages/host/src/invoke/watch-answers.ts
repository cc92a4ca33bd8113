import { keepAlive } from '../isolation/keep-alive.ts'
import type { CallDeps } from './call-deps.ts'
import { notRecorded } from './call-tool.ts'
import type { CallRef, ToolOutcome } from './outcome.ts'
import { resume } from './resume.ts'
import { hostClosed } from './run-call.ts'
import type { CallOptions } from './runtime.ts'
import { withdraw } from './withdraw.ts'

const pollMs = 50

/** Watches the calls of this process that wait for a person, and executes each as soon as it is approved. */
export interface AnswerWatch {
  /**
   * Resolves with the outcome, or with `waiting` when the time is over; the call stays watched, and an approval that
   * comes later executes it. An aborted signal withdraws a call that nobody has begun to execute. Never rejects.
   */
  wait(call: CallRef, options: CallOptions & { readonly timeoutMs: number }): Promise<ToolOutcome>
}

interface Waiter {
  readonly options: CallOptions
  done(outcome: ToolOutcome): void
}

interface Watched {
  readonly call: CallRef
  /** In whose name to go on when nobody waits any more. */
  readonly options: CallOptions
  readonly waiters: Set<Waiter>
}

/** One loop for all waiting calls of a host; it sleeps while there are none. */
export function createAnswerWatch(deps: CallDeps): AnswerWatch {
  const watched = new Map<string, Watched>()
  let polling = false

  const watch = (call: CallRef, options: CallOptions): Watched => {
    const one = watched.get(call.stream) ?? { call, options: unattended(options), waiters: new Set() }
    watched.set(call.stream, one)
    void poll()
    return one
  }

  const poll = async () => {
    if (polling) return
    polling = true
    while (watched.size > 0 && !deps.signal.aborted) {
      for (const one of watched.values()) {
        if (!(await isDue(deps, one.call))) continue
        watched.delete(one.call.stream)
        // Not awaited: one slow tool must not keep the other answers waiting.
        void goOn(one)
      }
      await deps.clock.sleep(pollMs, deps.signal)
    }
    polling = false
  }

  const goOn = async ({ call, options, waiters }: Watched) => {
    const by = [...waiters].at(-1)?.options ?? options
    const outcome = await resume(deps, call, by)
    // Something changed since it was approved: it waits anew, and is watched anew.
    if (outcome.status === 'waiting') watch(call, options)
    for (const { done } of waiters) done(outcome)
  }

  const waitFor = async (call: CallRef, options: CallOptions, timeoutMs: number): Promise<ToolOutcome> => {
    // What is decided, over or not the caller's needs no waiting.
    const now = await resume(deps, call, options)
    if (now.status !== 'waiting' || now.pending.kind === 'unknown') return now

    const { promise: settled, resolve: done } = Promise.withResolvers<ToolOutcome>()
    const waiter = { options, done }
    const one = watch(call, options)
    one.waiters.add(waiter)
    const over = new AbortController()
    const first = await Promise.race([
      settled,
      deps.clock.sleep(timeoutMs, over.signal).then(() => 'timeOver' as const),
      whenAborted(deps.signal, over.signal).then(() => 'closed' as const),
      ...(options.signal === undefined ? [] : [whenAborted(options.signal, over.signal)]),
    ])
    over.abort()
    if (typeof first === 'object') return first
    // It is being executed at this moment.
    if (watched.get(call.stream) !== one) return await settled
    if (first === 'closed') return hostClosed({ callId: call.callId, durationMs: now.durationMs })
    one.waiters.delete(waiter)
    return first === 'aborted' ? withdraw(deps, call, options) : resume(deps, call, unattended(options))
  }

  return {
    async wait(call, { timeoutMs, ...options }) {
      const begun = deps.clock.now()
      try {
        return await keepAlive(waitFor(call, options, timeoutMs))
      } catch (error) {
        return notRecorded(deps, error, { callId: call.callId, durationMs: deps.clock.now() - begun })
      }
    },
  }
}

/** The caller is gone: its signal must not cancel what a person approves later, and nobody hears of progress. */
function unattended({ signal: _signal, caller: _caller, onProgress: _onProgress, ...rest }: CallOptions): CallOptions {
  return rest
}

async function isDue(deps: CallDeps, call: CallRef): Promise<boolean> {
  const head = await deps.store.head(call.stream).catch(() => undefined)
  return (
    head !== undefined && (head.status !== 'waiting' || (head.dueAt ?? Number.POSITIVE_INFINITY) <= deps.clock.now())
  )
}

function whenAborted(signal: AbortSignal, over: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('aborted')
    const onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    over.addEventListener('abort', () => signal.removeEventListener('abort', onAbort), { once: true })
  })
}
