import { localUser } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { findPending } from '../pending-calls.ts'

/** `rollcall deny`: refuses a call that waits. Needs no terminal: refusing can do no harm. */
export async function deny(
  context: CommandContext,
  id: string,
  options: { readonly reason?: string },
): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { pending } = await findPending(session.host, id)
  const reason = options.reason === undefined ? {} : { reason: options.reason }
  const answer = { kind: 'approval', approved: false, binds: pending.binds, ...reason } as const
  const answered = await session.host.tools.answer(pending, answer, localUser)
  if (!answered.ok) throw new RollcallError(answered.code, answered.message, { hint: answered.hint })
  context.screen.data({ callId: pending.callId, tool: pending.tool, decision: 'denied', ...reason })
  context.screen.print(`Denied: ${oneLine(pending.tool)}.`)
  return exitCode.fine
}
