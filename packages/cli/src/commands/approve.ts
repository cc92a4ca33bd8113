import { approvalCard, type Card, type GrantWish } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from '../command-context.ts'
import { hasKey, readDecider } from '../decider.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { handOver } from '../hand-over.ts'
import { openSession } from '../open-session.ts'
import { oneLine } from '../output/safe-text.ts'
import { showCard } from '../output/show-card.ts'
import { parseDuration } from '../parse-duration.ts'
import { findPending } from '../pending-calls.ts'

/** What `rollcall approve` is told besides the call. */
export interface ApproveWords {
  readonly for?: string
  readonly exact?: boolean
  /** The characters on the card, from whoever has read it elsewhere. */
  readonly code?: string
}

/**
 * `rollcall approve`: shows the card and takes the four characters on it, so that a program that can only run
 * commands approves nothing; a key that may approve needs no terminal. The process in which the call waits executes it;
 * if that one is gone, this one does.
 */
export async function approve(context: CommandContext, id: string, options: ApproveWords = {}): Promise<ExitCode> {
  const { screen } = context
  const grant = grantWish(options)
  if (!screen.interactive && !hasKey(context)) {
    throw new RollcallError('APPROVAL_PENDING', 'Approving needs a person at a terminal; there is none here.', {
      hint: `Run this in a terminal: rollcall approve ${oneLine(id)}`,
    })
  }
  await using session = await openSession(context, { pinning: 'off' })
  const principal = await readDecider(session.store, context)
  const approval = await findPending(session.host, id)
  const { pending } = approval
  if (pending.kind === 'unknown') {
    throw new RollcallError(
      'TOOL_OUTCOME_UNKNOWN',
      `${pending.tool} began in a process that ended; nobody knows whether it happened.`,
      {
        hint: `Look at its target, then close the call (rollcall deny ${id}) and make it again if it did not happen.`,
      },
    )
  }
  if (pending.kind !== 'approval') {
    throw new RollcallError('APPROVAL_NOT_FOUND', `${pending.tool} waits for input, not for an approval.`, {
      hint: `Give them: rollcall input ${oneLine(id)}`,
    })
  }
  const card = approvalCard(pending, { who: approval.principal, profile: approval.profile })
  const typed = screen.interactive ? await readCode(card, context, options) : options.code
  if (typed === undefined && screen.interactive) return exitCode.interrupted
  if (typed === undefined) {
    throw new RollcallError('APPROVAL_PENDING', 'Without a terminal the code of the card must be given.', {
      hint: 'It stands in: rollcall approvals --json. As in: rollcall approve <id> --code ABCD',
    })
  }
  if (typed.trim().toUpperCase() !== card.code) {
    screen.note('  That is not the code on the card; the call still waits.')
    return exitCode.negative
  }
  const answered = await session.host.tools.answer(
    pending,
    { kind: 'approval', approved: true, binds: pending.binds, ...(grant && { grant }) },
    principal,
    'cli',
  )
  if (!answered.ok) throw new RollcallError(answered.code, answered.message, { hint: answered.hint })
  return await handOver(approval, session, context)
}

/** Shows the card and has its code typed; `undefined`: the person left. */
async function readCode(card: Card, context: CommandContext, options: ApproveWords): Promise<string | undefined> {
  if (!(await showCard(card, context, context.signal))) return undefined
  const what =
    options.for === undefined
      ? 'once'
      : `and ${options.exact ? 'equal calls' : 'the next calls of this tool'} (${options.for})`
  return await context.prompts.text(
    `The four characters on the card approve it ${what}; anything else leaves it waiting.`,
  )
}

/** @throws {RollcallError} `CONFIG_INVALID` for a time that is none. */
function grantWish({ for: time, exact }: { readonly for?: string; readonly exact?: boolean }): GrantWish | undefined {
  if (time === undefined) return undefined
  const args = exact === true ? 'exact' : 'any'
  return { args, for: time === 'session' ? 'session' : parseDuration(time, '--for') }
}
