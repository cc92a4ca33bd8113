import { approvalCard, type CallOptions, type Host, localUser, type Pending, type ToolOutcome } from '@rollcall/host'
import { RollcallError } from '@rollcall/plugin'
import type { CommandContext } from './command-context.ts'
import { fillForm } from './fill-form.ts'
import { showCard } from './output/show-card.ts'

type Waiting = Extract<ToolOutcome, { status: 'waiting' }>

/** What is at hand where a call waits. */
export interface DecisionRoom {
  readonly host: Host
  readonly context: CommandContext
  readonly who: CallOptions
}

/** Days no call waits for: until the person here, or one elsewhere, has decided. */
const untilDecidedMs = 2_000_000_000
const grantMs = 8 * 60 * 60_000

/**
 * Asks the person at this terminal about a call that waits, while anybody else may decide it too: the first answer
 * counts. Leaving the question withdraws the call.
 */
export async function decideHere(waiting: Waiting, room: DecisionRoom): Promise<ToolOutcome> {
  const { host, context, who } = room
  const { pending } = waiting
  const left = new AbortController()
  const decidedElsewhere = new AbortController()
  const signal = AbortSignal.any([context.signal, left.signal])
  const outcome = host.tools.wait(pending, { ...who, signal, timeoutMs: untilDecidedMs }).then((found) => {
    decidedElsewhere.abort()
    return found
  })
  const answered = await answerHere(pending, room, AbortSignal.any([context.signal, decidedElsewhere.signal]))
  if (answered === 'left' && !decidedElsewhere.signal.aborted) left.abort()
  const found = await outcome
  // What was approved may have become something else meanwhile: then it is asked again.
  return found.status === 'waiting' ? decideHere(found, room) : found
}

async function answerHere(pending: Pending, room: DecisionRoom, signal: AbortSignal): Promise<'answered' | 'left'> {
  if (pending.kind === 'input') return supplyInput(pending, room)
  if (pending.kind !== 'approval') return 'left'
  const { host, context, who } = room
  const { screen, prompts } = context
  const card = approvalCard(pending, { who: 'this terminal', profile: who.profile ?? 'direct' })
  if (!(await showCard(card, context, signal))) return 'left'
  const choices = [
    { key: 'a', label: 'approve once' },
    ...(pending.once === undefined ? [{ key: '8', label: '8 hours for this tool' }] : []),
    { key: 'd', label: 'deny', initial: true },
  ]
  const key = await prompts.choose('Run it?', choices, signal)
  if (key === undefined) return 'left'
  const result = await host.tools.answer(
    pending,
    {
      kind: 'approval',
      approved: key === 'a' || key === '8',
      binds: pending.binds,
      ...(key === '8' && { grant: { args: 'any', for: grantMs } }),
    },
    localUser,
    'cli',
  )
  if (!result.ok) screen.note(`  ${result.message}`)
  return 'answered'
}

async function supplyInput(
  pending: Extract<Pending, { kind: 'input' }>,
  { host, context }: DecisionRoom,
): Promise<'answered' | 'left'> {
  for (;;) {
    const data = await fillForm(pending, context)
    if (data === undefined) return 'left'
    const result = await host.tools.answer(pending, { kind: 'input', data, binds: pending.binds }, localUser, 'cli')
    if (result.ok) return 'answered'
    if (result.code !== 'INPUT_INVALID') throw new RollcallError(result.code, result.message, { hint: result.hint })
    context.screen.note(`  ${result.message}`)
  }
}
