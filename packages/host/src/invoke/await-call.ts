import type { CallDeps } from './call-deps.ts'
import { notRecorded } from './call-tool.ts'
import type { CallRef, ToolOutcome } from './outcome.ts'
import type { CallOptions } from './runtime.ts'
import { type Holder, openHandle, sealHandle } from './sealed-handle.ts'
import { failed } from './to-outcome.ts'
import type { AnswerWatch } from './watch-answers.ts'

/** By what its maker, and nobody else, can wait for a call later. It tells nothing by which the call could be decided. */
export async function handleOf(deps: CallDeps, { callId }: CallRef, holder: Holder): Promise<string> {
  return sealHandle(await deps.digestKey(), 'await', callId, holder)
}

/** Waits again for a call that waits for a person. A handle that is none, or somebody else's, looks unknown. Never rejects. */
export async function awaitCall(
  deps: CallDeps,
  answers: AnswerWatch,
  handle: unknown,
  options: CallOptions & { readonly timeoutMs: number },
): Promise<ToolOutcome> {
  try {
    const callId = openHandle(await deps.digestKey(), 'await', handle, options)
    if (callId !== undefined) return await answers.wait({ stream: `call/${callId}`, callId }, options)
    const text = 'No call of that handle waits.'
    return failed(
      { callId: '', durationMs: 0 },
      'APPROVAL_NOT_FOUND',
      text,
      'Use the handle that came with the answer.',
    )
  } catch (error) {
    return notRecorded(deps, error, { callId: '', durationMs: 0 })
  }
}
