import type { CallDeps } from './call-deps.ts'
import { openRecord, readCall } from './call-record.ts'
import type { CallRef, ToolOutcome } from './outcome.ts'
import { resume } from './resume.ts'
import { recordEnd } from './run-call.ts'
import type { CallOptions } from './runtime.ts'
import { toOutcome } from './to-outcome.ts'

const pollMs = 50

/** Watches the calls of this process that wait for a person, and executes each as soon as it is approved. */
export interface AnswerWatch {
  /**
   * Resolves with the outcome, or with `waiting` when the time is over; the call stays watched, and an approval that
   * comes later executes it. An aborted signal withdraws a call that nobody has decided. Never rejects.
   */
  wait(call: CallRef, options: CallOptions & { readonly timeoutMs: number }): Promise<ToolOutcome>
}

/** One loop for all waiting calls of a host; it sleeps while there are none. */
export function createAnswerWatch(deps: CallDeps): AnswerWatch {
  const watched = new Map<
    string,
    { readonly call: CallRef; readonly options: CallOptions; done(outcome: ToolOutcome): void }
  >()
  let polling = false

  const poll = async () => {
    if (polling) return
    polling = true
    while (watched.size > 0 && !deps.signal.aborted) {
      for (const [stream, { call, options, done }] of watched) {
        if (!(await isDue(deps, call))) continue
        watched.delete(stream)
        // Not awaited: one slow tool must not keep the other answers waiting.
        void resume(deps, call, options).then(done)
      }
      await deps.clock.sleep(pollMs, deps.signal)
    }
    polling = false
  }

  return {
    async wait(call, options) {
      const { timeoutMs, signal, ...rest } = options
      const settled = new Promise<ToolOutcome>((done) => {
        watched.set(call.stream, { call, options: { ...rest, ...(signal === undefined ? {} : { signal }) }, done })
      })
      void poll()
      const over = new AbortController()
      const first = await Promise.race([
        settled,
        deps.clock.sleep(timeoutMs, over.signal).then(() => 'timeOver' as const),
        ...(signal === undefined ? [] : [aborted(signal, over.signal)]),
      ])
      over.abort()
      if (first === 'aborted') {
        if (!watched.delete(call.stream)) return await settled
        return await withdraw(deps, call, options)
      }
      if (first !== 'timeOver') return first
      // From here on the caller is gone: its signal must not cancel what a person approves later.
      if (!watched.has(call.stream)) return await settled
      watched.set(call.stream, { call, options: rest, done: () => {} })
      // Undecided it comes back as `waiting`; decided this very moment, it is executed, once.
      return await resume(deps, call, options)
    },
  }
}

async function isDue(deps: CallDeps, call: CallRef): Promise<boolean> {
  const head = await deps.store.head(call.stream).catch(() => undefined)
  return (
    head !== undefined && (head.status !== 'waiting' || (head.dueAt ?? Number.POSITIVE_INFINITY) <= deps.clock.now())
  )
}

/** The caller left before anybody decided: the call is over. */
async function withdraw(deps: CallDeps, call: CallRef, options: CallOptions): Promise<ToolOutcome> {
  const state = await readCall(deps.store, call.stream)
  const outcome = toOutcome({ status: 'cancelled' }, { callId: call.callId, durationMs: 0 })
  if (state.answered === undefined && !state.started && state.ended === undefined) {
    await recordEnd(
      deps,
      openRecord(deps.store, call.callId, options.principal.id, undefined),
      state.length,
      [],
      outcome,
    )
  }
  return outcome
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('aborted')
    const onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    over.addEventListener('abort', () => signal.removeEventListener('abort', onAbort), { once: true })
  })
}
