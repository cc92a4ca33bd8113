import type { Principal } from '@rollcall/plugin'
import type { CallDeps } from './call-deps.ts'
import { readCall } from './call-record.ts'
import type { Approval } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'
import { readWorking } from './read-working.ts'
import { expire } from './resume.ts'

/** What waits for a person or was just decided, oldest first; calls that nobody decided in time are ended on the way. */
export async function listPending(deps: CallDeps, principal: Principal): Promise<readonly Approval[]> {
  const seesAll = principal.admin || principal.scopes.includes('runs:approve')
  const own = seesAll ? {} : { principal: principal.id }
  const heads = [
    ...(await deps.store.heads({ kind: 'call', status: 'waiting', ...own })),
    ...(await deps.store.heads({ kind: 'call', status: 'answered', ...own })),
  ]
  const approvals = await Promise.all(heads.map(({ stream }) => readApproval(deps, stream)))
  return approvals.filter((approval) => approval !== undefined).sort((a, b) => a.askedAt - b.askedAt)
}

async function readApproval(deps: CallDeps, stream: Parameters<typeof readCall>[1]): Promise<Approval | undefined> {
  const state = await readCall(deps.store, stream)
  const working = await readWorking(deps.store, stream)
  const { asked, answered, proposed } = state
  if (asked === undefined || proposed === undefined || working === undefined || state.ended !== undefined)
    return undefined
  const call = { stream, callId: proposed.callId }
  if (asked.expiresAt <= deps.clock.now()) {
    await expire(deps, call, state, working, { callId: call.callId, durationMs: 0 })
    return undefined
  }
  const { reason } = answered ?? {}
  return {
    pending: {
      kind: 'approval',
      ...call,
      tool: working.tool,
      binds: asked.binds,
      expiresAt: asked.expiresAt,
      args: rebuild(working.args),
      preview: working.preview,
    },
    principal: working.principal.id,
    profile: working.profile,
    askedAt: asked.at,
    claimed: state.started,
    ...(answered === undefined
      ? {}
      : {
          decision: {
            by: answered.by,
            approved: answered.answer === 'approved',
            at: answered.at,
            ...(reason === undefined ? {} : { reason }),
          },
        }),
  }
}
