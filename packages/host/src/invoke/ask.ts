import { ApprovalRequested } from '@rollcall/plugin'
import type { CallDeps } from './call-deps.ts'
import type { CallEvent } from './call-event.ts'
import type { CallRecord } from './call-record.ts'
import type { Pending, ToolOutcome } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'
import { bindingOf, decided, type ReadyCall, recordEnd } from './run-call.ts'
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
  opening: readonly CallEvent[],
  call: ReadyCall,
  length = 0,
): Promise<ToolOutcome> {
  const { entry, profile, options } = call
  const { callId, stream } = record
  const elapsed = () => ({ callId, durationMs: deps.clock.now() - call.begun })

  const waiting = await deps.store.heads({ kind: 'call', status: 'waiting', principal: options.principal.id })
  if (length === 0 && waiting.length >= maxPending) {
    const busy = failed(
      elapsed(),
      'BUSY',
      `${maxPending} calls of ${options.principal.id} wait for a person already.`,
      'Decide some of them: rollcall approvals',
    )
    await recordEnd(deps, record, 0, opening, busy)
    return busy
  }

  const args = rebuild(call.args)
  const preview = await entry.preview(args)
  const binds = bindingOf(entry, call.args)
  const expiresAt = deps.clock.now() + (profile.approvals?.expiresMs ?? defaultExpiryMs)
  const asked: CallEvent = { type: 'call.asked', callId, kind: 'approval', binds, expiresAt }
  const written = await record.append(
    length,
    [...opening, asked],
    { status: 'waiting', dueAt: expiresAt },
    {
      tool: entry.name,
      args: call.args,
      preview,
      principal: options.principal,
      profile: profile.name,
      allow: options.allow ?? null,
    },
  )
  if (written === 'conflict') return decided(elapsed())
  deps.notify(new ApprovalRequested({ callId, tool: entry.name }))
  const pending: Pending = { kind: 'approval', stream, callId, tool: entry.name, binds, expiresAt, args, preview }
  return { ...elapsed(), status: 'waiting', pending, text: `${entry.name} waits for a person.` }
}
