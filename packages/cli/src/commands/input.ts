import { type Approval, shownText } from '@rollcall/host'
import { canonicalJson, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { hasKey, readDecider } from '../decider.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { fillForm } from '../fill-form.ts'
import { handOver } from '../hand-over.ts'
import { openSession } from '../open-session.ts'
import { duration } from '../output/duration.ts'
import { cutTo } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'
import { parseArguments } from '../parse-arguments.ts'
import { findPending, shortIds } from '../pending-calls.ts'

/**
 * `rollcall input`: lists the calls that wait for values of a person, or gives one of them its values. That takes a
 * terminal, or a key that may decide: a program that can only run commands says nothing in a person's name.
 */
export async function input(
  context: CommandContext,
  id: string | undefined,
  words: readonly string[],
): Promise<ExitCode> {
  const { screen } = context
  if (id !== undefined && !screen.interactive && !hasKey(context)) {
    throw new RollcallError('APPROVAL_PENDING', 'Values of a person need a person at a terminal; there is none here.', {
      hint: `Run this in a terminal: rollcall input ${shownText(id)}`,
    })
  }
  await using session = await openSession(context, { pinning: 'off' })
  const principal = await readDecider(session.store, context)
  if (id === undefined) return list(await session.host.tools.pending(principal), context)
  const approval = await findPending(session.host, id)
  const { pending } = approval
  if (pending.kind !== 'input') {
    throw new RollcallError('APPROVAL_NOT_FOUND', `${shownText(pending.tool)} waits for no values.`, {
      hint: 'What waits: rollcall approvals',
    })
  }
  const data = words.length > 0 ? parseArguments(words, pending.schema) : await ask(pending, context)
  if (data === undefined) return exitCode.interrupted
  const answered = await session.host.tools.answer(
    pending,
    { kind: 'input', data, binds: pending.binds },
    principal,
    'cli',
  )
  if (!answered.ok) throw new RollcallError(answered.code, answered.message, { hint: answered.hint })
  return await handOver(approval, session, context)
}

async function ask(pending: Parameters<typeof fillForm>[0], context: CommandContext): Promise<Json | undefined> {
  if (context.screen.interactive) return await fillForm(pending, context)
  throw new RollcallError('INPUT_INVALID', `${shownText(pending.tool)} asks for values, and none were given.`, {
    hint: `As in: rollcall input <id> ${Object.keys(pending.schema.properties as JsonObject)[0] ?? 'key'}=…`,
  })
}

function list(approvals: readonly Approval[], { screen }: CommandContext): ExitCode {
  const waiting = approvals.filter(({ pending, decision }) => pending.kind === 'input' && decision === undefined)
  const ids = shortIds(waiting)
  const asksOf = ({ pending }: Approval) =>
    pending.kind === 'input' ? Object.keys((pending.schema.properties ?? {}) as JsonObject) : []
  screen.data({
    inputs: waiting.map((approval) => ({
      id: ids.get(approval),
      callId: approval.pending.callId,
      tool: approval.pending.tool,
      args: approval.pending.args,
      ...('schema' in approval.pending && { schema: approval.pending.schema }),
      principal: approval.principal,
      profile: approval.profile,
      expiresAt: approval.pending.expiresAt,
    })),
  })
  if (waiting.length === 0) {
    screen.print('  No call waits for values of a person.')
    return exitCode.fine
  }
  const now = Date.now()
  const table = renderTable({
    width: screen.width,
    paintTitle: screen.paint.dim,
    columns: [
      { title: 'ID' },
      { title: 'TOOL', least: 30 },
      { title: 'ASKS FOR', least: 12 },
      { title: 'KNOWN', dropOrder: 2 },
      { title: 'ASKED BY', dropOrder: 1 },
      { title: 'EXPIRES IN', dropOrder: 3 },
    ],
    rows: waiting.map((approval) => [
      ids.get(approval) ?? '',
      shownText(approval.pending.tool),
      shownText(asksOf(approval).join(', ')),
      cutTo(shownText(canonicalJson(approval.pending.args)), 40),
      shownText(`${approval.principal} · ${approval.profile}`),
      duration(approval.pending.expiresAt - now),
    ]),
  })
  const [first] = waiting
  const id = (first && ids.get(first)) ?? '<id>'
  screen.print(...table, '', `  rollcall input ${id} asks for the values; rollcall deny ${id} refuses the call.`)
  return exitCode.fine
}
