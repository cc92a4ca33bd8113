import { type Approval, localUser, type StoredEvent, type ToolOutcome } from '@rollcall/host'
import type { CommandContext } from './command-context.ts'
import { type ExitCode, exitCode } from './exit-code.ts'
import type { Session } from './open-session.ts'
import { showOutcome } from './output/outcome-lines.ts'
import { oneLine } from './output/safe-text.ts'

/** Milliseconds in which the process that waits for the decision usually takes the call up. */
const handOverMs = 3_000
const pollMs = 50

/** Has a decided call executed by the process in which it waits, or here when that one is gone; and says how it ended. */
export async function handOver(approval: Approval, session: Session, context: CommandContext): Promise<ExitCode> {
  const { screen, signal } = context
  const elsewhere = await endElsewhere(approval, session, signal)
  if (elsewhere === 'notTaken') {
    const outcome = await session.host.tools.resume(approval.pending, {
      principal: localUser,
      profile: approval.profile,
      signal,
    })
    if (outcome.status === 'waiting' && outcome.pending.kind === 'approval')
      screen.note(`  Now it waits for an approval: rollcall approve ${outcome.callId.slice(-8)}`)
    if (!(outcome.status === 'failed' && outcome.code === 'APPROVAL_DECIDED')) return showOutcome(outcome, screen)
  }
  const { callId, tool } = approval.pending
  const status = elsewhere === 'notTaken' ? 'started' : elsewhere
  screen.data({ callId, status, executedBy: 'the process that made the call' })
  const done = approval.pending.kind === 'input' ? 'Given' : 'Approved'
  screen.print(`${done}. ${oneLine(tool)} runs in the process that made the call: ${status}.`)
  return status === 'ok' || status === 'started' ? exitCode.fine : exitCode.negative
}

/** How the call ended where it was made; `notTaken` when nobody there took it up in time. */
async function endElsewhere(
  { pending }: Approval,
  { store }: Session,
  signal: AbortSignal,
): Promise<ToolOutcome['status'] | 'started' | 'notTaken'> {
  const until = Date.now() + handOverMs
  for (;;) {
    const status = (await store.head(pending.stream))?.status ?? 'answered'
    const isOver = Date.now() >= until || signal.aborted
    if (status !== 'answered' && status !== 'waiting' && (status !== 'started' || isOver)) {
      return status === 'started' ? 'started' : await endOf(pending.stream, store)
    }
    if (isOver) return 'notTaken'
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

async function endOf(
  stream: Approval['pending']['stream'],
  store: Session['store'],
): Promise<ToolOutcome['status'] | 'started'> {
  let end: ToolOutcome['status'] | 'started' = 'started'
  for await (const { event } of store.read(stream)) {
    if (event.type === 'call.ended') end = (event as StoredEvent['event'] & { status: ToolOutcome['status'] }).status
  }
  return end
}
