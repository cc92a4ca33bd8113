import { type Approval, localUser } from '@rollcall/host'
import { canonicalJson } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession } from '../open-session.ts'
import { countBlanks } from '../output/approval-card.ts'
import { approvalCode } from '../output/approval-code.ts'
import { duration } from '../output/duration.ts'
import { cutTo, oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { shortIds } from '../pending-calls.ts'

/** `rollcall approvals`: what waits for a person. */
export async function approvals(context: CommandContext): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen } = context
  const waiting = (await session.host.tools.pending(localUser)).filter(({ decision }) => decision === undefined)
  const ids = shortIds(waiting)
  screen.data({
    approvals: waiting.map((approval) => ({
      id: ids.get(approval),
      callId: approval.pending.callId,
      tool: approval.pending.tool,
      kind: approval.pending.kind,
      ...('args' in approval.pending && { args: approval.pending.args }),
      ...('preview' in approval.pending && { preview: approval.pending.preview }),
      principal: approval.principal,
      profile: approval.profile,
      askedAt: approval.askedAt,
      expiresAt: approval.pending.expiresAt,
      code: approvalCode(approval.pending.binds),
    })),
  })
  screen.print(...(waiting.length === 0 ? ['  Nothing waits for a person.'] : asLines(waiting, ids, context)))
  return exitCode.fine
}

function asLines(
  waiting: readonly Approval[],
  ids: ReadonlyMap<Approval, string>,
  { screen }: CommandContext,
): readonly string[] {
  const now = Date.now()
  const rows = waiting.map((approval) => [
    ids.get(approval) ?? '',
    oneLine(approval.pending.tool),
    shortArguments(approval),
    oneLine(`${approval.principal} · ${approval.profile}`),
    duration(now - approval.askedAt),
    duration(approval.pending.expiresAt - now),
    approvalCode(approval.pending.binds),
  ])
  const table = renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [
      { title: 'ID' },
      { title: 'TOOL', least: 30 },
      { title: 'ARGUMENTS', least: 12 },
      { title: 'ASKED BY', dropOrder: 1 },
      { title: 'AGE', dropOrder: 2 },
      { title: 'EXPIRES IN', dropOrder: 3 },
      { title: 'CODE' },
    ],
    rows,
  })
  const [first] = waiting
  const id = (first && ids.get(first)) ?? '<id>'
  return [...table, '', `  rollcall approve ${id} shows the whole call and asks; rollcall deny ${id} refuses it.`]
}

function shortArguments({ pending }: Approval): string {
  return 'args' in pending ? cutTo(countBlanks(oneLine(canonicalJson(pending.args))), 60) : pending.kind
}
