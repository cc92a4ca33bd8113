import type { Answer } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { readDecider } from '../decider.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { findPending } from '../pending-calls.ts'

/** `rollcall deny`: refuses a call that waits, or closes one whose end is lost. Needs no terminal: neither can do harm. */
export async function deny(
  context: CommandContext,
  id: string,
  options: { readonly reason?: string },
): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const principal = await readDecider(session.store, context)
  const { pending } = await findPending(session.host, id)
  const reason = options.reason === undefined ? {} : { reason: options.reason }
  // A call whose end is lost can only be closed: whether it happened is not for us to say.
  const isLost = pending.kind === 'unknown'
  const answer: Answer = isLost
    ? { kind: 'unknown', treatAs: 'abort', binds: pending.binds, ...reason }
    : { kind: 'approval', approved: false, binds: pending.binds, ...reason }
  const answered = await session.host.tools.answer(pending, answer, principal, 'cli')
  if (!answered.ok) throw new RollcallError(answered.code, answered.message, { hint: answered.hint })
  context.screen.data({ callId: pending.callId, tool: pending.tool, decision: isLost ? 'closed' : 'denied', ...reason })
  context.screen.print(`${isLost ? 'Closed' : 'Denied'}: ${oneLine(pending.tool)}.`)
  return exitCode.fine
}
