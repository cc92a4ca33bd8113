import type { CallDeps } from '../invoke/call-deps.ts'
import { readApproval } from '../invoke/list-pending.ts'
import type { CallRef, ToolOutcome } from '../invoke/outcome.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import type { AnswerWatch } from '../invoke/watch-answers.ts'
import { askCaller, mayAskCaller } from './ask-caller.ts'
import { askInput } from './ask-input.ts'

/** Milliseconds that a call is waited for while its form is open, however short its wait is. */
const formMs = 300_000
const sliceMs = 1_000
const maxAsked = 1_000

/**
 * As the watch alone, and where the operator named the caller's client, the person behind it is asked meanwhile, once for
 * each version of the call.
 */
export function createAskingWatch(deps: CallDeps, answers: AnswerWatch): AnswerWatch {
  const asked = new Set<string>()

  const isNew = (key: string): boolean => {
    if (asked.has(key)) return false
    const [oldest] = asked
    if (asked.size >= maxAsked && oldest !== undefined) asked.delete(oldest)
    asked.add(key)
    return true
  }

  const openForm = async (call: CallRef, options: CallOptions & { readonly signal: AbortSignal }): Promise<void> => {
    const profile = deps.profiles.get(options.profile ?? 'direct')
    if (profile === undefined || !mayAskCaller(profile, options)) return
    const found = await readApproval(deps, call.stream)
    if (found === undefined || found.decision !== undefined || found.pending.kind === 'unknown') return
    // A reference is no right: only what is asked in the caller's own name is shown to it.
    const isOwn = found.principal === options.principal.id && found.profile === profile.name
    const { pending, askedAt } = found
    if (!isOwn || !isNew(`${call.callId} ${pending.kind} ${pending.binds}`)) return
    await (pending.kind === 'input'
      ? askInput(deps, pending, options)
      : askCaller(deps, profile, { call: pending, askedAt }, options))
  }

  return {
    async wait(call, options) {
      const over = new AbortController()
      const signal = AbortSignal.any([over.signal, deps.signal, ...(options.signal ? [options.signal] : [])])
      let isOpen = true
      void openForm(call, { ...options, signal }).finally(() => {
        isOpen = false
      })
      try {
        const until = deps.clock.now() + formMs
        let outcome: ToolOutcome = await answers.wait(call, options)
        while (isOpen && outcome.status === 'waiting' && deps.clock.now() < until)
          outcome = await answers.wait(call, { ...options, timeoutMs: sliceMs })
        return outcome
      } finally {
        over.abort()
      }
    },
  }
}
