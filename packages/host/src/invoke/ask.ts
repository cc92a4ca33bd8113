import { ApprovalRequested, type Principal } from '@rollcall/plugin'
import type { PersonForm } from '../catalogue/person-form.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import type { CallRecord } from './call-record.ts'
import { endCall } from './end-call.ts'
import { joinRepeat } from './join-repeat.ts'
import type { ToolOutcome } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'
import { toPending } from './question.ts'
import { decided } from './recorded-outcome.ts'
import { bindingOf, type Journal, type ReadyCall, toWorking } from './run-call.ts'
import { failed } from './to-outcome.ts'

const defaultExpiryMs = 24 * 60 * 60 * 1000
const maxPending = 20

/**
 * Puts a call before a person: records the question with what it is about, and returns `waiting`.
 * Nothing is executed here.
 */
export async function ask(
  deps: CallDeps,
  record: CallRecord,
  { length, opening }: Journal,
  call: ReadyCall,
  by: {
    /** Who wants a person to look at the arguments. */
    readonly guardrails?: readonly string[] | undefined
    /** What a person is to say about it first. */
    readonly form?: PersonForm
  } = {},
): Promise<ToolOutcome> {
  const { guardrails = [], form } = by
  const kind = form === undefined ? 'approval' : 'input'
  const { entry, profile, options } = call
  const { callId, stream } = record
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - call.begun })
  const endBusy = async (journal: Parameters<typeof endCall>[2]) => {
    const outcome = tooMany(options.principal, elapsed())
    return (await endCall(deps, record, journal, entry.name, outcome)) === 'ended' ? outcome : decided(elapsed())
  }
  // A call that is asked about again has its place already.
  const isNew = length === 0
  const joined = isNew ? await joinRepeat(deps, record, call) : undefined
  if (joined !== undefined) return joined
  if (isNew && (await waitingOf(deps, options.principal)).length >= maxPending)
    return await endBusy({ length, unwritten: opening })

  const args = rebuild(call.args)
  // There is nothing to tell of a call of which a part is missing.
  const preview = form === undefined ? await entry.preview(args) : []
  const binds = bindingOf(entry, call.args)
  const expiresAt = deps.clock.now() + (profile.approvals?.expiresMs ?? defaultExpiryMs)
  const wanted = guardrails.length === 0 ? {} : { guardrails }
  const asked: CallEvent = { type: 'call.asked', callId, kind, binds, expiresAt, ...wanted }
  const events = [...opening, asked]
  const head = { status: 'waiting', dueAt: expiresAt }
  const working = {
    ...toWorking(call, preview, await deps.taints.read(options)),
    ...(form && { form: form.schema }),
  }
  if ((await record.append(length, events, head, working)) === 'conflict') return decided(elapsed())
  // Calls that came at the same moment all saw room: the first twenty keep it.
  if (isNew && (await waitingOf(deps, options.principal)).slice(maxPending).some((head) => head.stream === stream))
    return await endBusy({ length: events.length, unwritten: [] })

  deps.notify(new ApprovalRequested({ callId, tool: entry.name }))
  const pending = toPending({ stream, callId }, { kind, binds, askedAt: deps.clock.now(), expiresAt }, working)
  return { ...elapsed(), status: 'waiting', pending, text: `${entry.name} waits for a person.` }
}

/** What waits in this principal's name and may still be decided, oldest first. */
async function waitingOf(deps: CallDeps, { id }: Principal) {
  const heads = await deps.store.heads({ kind: 'call', status: 'waiting', principal: id })
  const now = deps.clock.now()
  return heads.filter(({ dueAt }) => dueAt === undefined || dueAt > now)
}

function tooMany({ id }: Principal, elapsed: { readonly callId: string; readonly durationMs: number }) {
  const message = `${maxPending} calls of ${id} wait for a person already.`
  return failed(elapsed, 'BUSY', message, 'Decide some of them: rollcall approvals')
}
