import { type Approval, approvalCode, type Grant, localUser, shownText } from '@rollcall/host'
import { canonicalJson, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { openSession, type Session } from '../open-session.ts'
import { duration } from '../output/duration.ts'
import { cutTo, oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { shortIds } from '../pending-calls.ts'

/** `rollcall approvals`: what waits for a person, and which yeses are good for a while. */
export async function approvals(
  context: CommandContext,
  options: { readonly revoke?: string } = {},
): Promise<ExitCode> {
  await using session = await openSession(context, { pinning: 'off' })
  const { screen } = context
  if (options.revoke !== undefined) return await revoke(options.revoke, session, context)
  const grants = await session.host.tools.grants(localUser)
  const waiting = (await session.host.tools.pending(localUser)).filter(({ decision }) => decision === undefined)
  const ids = shortIds(waiting)
  screen.data({
    approvals: waiting.map((approval) => ({
      id: ids.get(approval),
      callId: approval.pending.callId,
      tool: approval.pending.tool,
      kind: approval.pending.kind,
      args: approval.pending.args,
      ...('schema' in approval.pending && { schema: approval.pending.schema }),
      ...('preview' in approval.pending && { preview: approval.pending.preview }),
      principal: approval.principal,
      profile: approval.profile,
      askedAt: approval.askedAt,
      expiresAt: approval.pending.expiresAt,
      ...('taint' in approval.pending && { taint: approval.pending.taint }),
      code: approvalCode(approval.pending.binds),
    })),
    grants,
  })
  screen.print(
    ...(waiting.length === 0 ? ['  Nothing waits for a person.'] : asLines(waiting, ids, context)),
    ...(grants.length === 0 ? [] : ['', ...grantLines(grants, context)]),
  )
  return exitCode.fine
}

async function revoke(id: string, { host }: Session, { screen }: CommandContext): Promise<ExitCode> {
  const named = (await host.tools.grants(localUser)).filter((grant) => id.length >= 4 && grant.id.endsWith(id))
  const [grant] = named
  if (grant === undefined || named.length > 1) {
    throw new RollcallError('APPROVAL_NOT_FOUND', `"${oneLine(id)}" names ${named.length} grants.`, {
      hint: 'What is granted: rollcall approvals',
    })
  }
  const revoked = await host.tools.revoke(grant.id, localUser)
  if (!revoked.ok) throw new RollcallError(revoked.code, revoked.message, { hint: revoked.hint })
  screen.data({ revoked: grant.id, tool: grant.tool })
  screen.print(`  Taken back: ${oneLine(grant.tool)} asks ${oneLine(grant.principal)} again.`)
  return exitCode.fine
}

function grantLines(grants: readonly Grant[], { screen }: CommandContext): readonly string[] {
  const now = Date.now()
  const table = renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [
      { title: 'GRANT' },
      { title: 'TOOL', least: 30 },
      { title: 'ARGUMENTS' },
      { title: 'FOR', dropOrder: 2 },
      { title: 'BY', dropOrder: 1 },
      { title: 'ENDS IN' },
    ],
    rows: grants.map(({ id, tool, args, principal, profile, session, by, until }) => [
      id.slice(-8),
      oneLine(tool),
      args === 'any' ? 'any' : 'the same',
      oneLine(`${principal} · ${profile}${session === undefined ? '' : ' · one session'}`),
      oneLine(by),
      duration(until - now),
    ]),
  })
  return [...table, '', '  rollcall approvals --revoke <grant> takes one back.']
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
  const how =
    first?.pending.kind === 'input'
      ? `rollcall input ${id} asks for the values that it needs`
      : `rollcall approve ${id} shows the whole call and asks`
  return [...table, '', `  ${how}; rollcall deny ${id} refuses it.`]
}

function shortArguments({ pending }: Approval): string {
  return cutTo(shownText(canonicalJson(pending.args)), 60)
}
