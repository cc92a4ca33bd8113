import { type Digest, digestOf } from '@rollcall/plugin'
import { type Taint, untainted } from '../gate/taint.ts'
import type { WorkingCall } from './call-record.ts'
import type { CallState } from './fold-call.ts'
import type { CallRef, Pending } from './outcome.ts'
import { rebuild } from './parse-arguments.ts'

const dayMs = 24 * 60 * 60 * 1000

/** What a call waits for a person to say. */
export interface Question {
  /** `unknown`: it was started, and no process that could tell its end is left. */
  readonly kind: 'approval' | 'input' | 'unknown'
  readonly binds: Digest
  readonly askedAt: number
  /** Milliseconds since the epoch; from then on the call is over. */
  readonly expiresAt: number
}

/** The open question of a call, or `undefined` when it is over, is being executed or can't be understood. */
export function questionOf(state: CallState, working: WorkingCall | undefined, now: number): Question | undefined {
  const { proposed, asked, answered, started, ended, strange } = state
  if (proposed === undefined || ended !== undefined || strange) return undefined
  const binds = asked?.binds ?? digestOf({ definition: proposed.definition ?? null, args: working?.args ?? '' })
  if (started !== undefined) {
    if (now < started.until) return undefined
    // A read that nobody got the end of did no harm: nobody is asked about it.
    const patienceMs = proposed.effect === 'read' ? 0 : 7 * dayMs
    return { kind: 'unknown', binds, askedAt: started.until, expiresAt: started.until + patienceMs }
  }
  if (answered?.answer === 'retry')
    return { kind: 'unknown', binds, askedAt: answered.at, expiresAt: answered.at + dayMs }
  return asked && { kind: asked.kind, binds, askedAt: asked.at, expiresAt: asked.expiresAt }
}

const goesOn: ReadonlySet<string> = new Set(['approved', 'submitted', 'retry'])

/** Whether a person said that the call may be executed, and nobody has begun. */
export function mayStart({ answered, started }: CallState): boolean {
  return started === undefined && answered !== undefined && goesOn.has(answered.answer)
}

/** The question as it is put before a person. */
export function toPending(
  { stream, callId }: CallRef,
  { kind, binds, expiresAt }: Question,
  working: WorkingCall,
): Pending {
  const args = rebuild(working.args)
  const common = { stream, callId, tool: working.tool, binds, expiresAt, args }
  if (kind === 'unknown') return { kind, ...common }
  const { asked, once = 'an older program asked', taint, client, form = {} } = working
  const from = client === undefined || client === null ? {} : { client: client.name }
  if (kind === 'input') return { kind, ...common, schema: form, ...from }
  return {
    kind,
    ...common,
    preview: working.preview,
    asked: asked ?? { decidedBy: 'approval', why: 'a person approves each call' },
    ...(once === null ? {} : { once }),
    taint: taint === undefined ? untainted : toTaint(taint),
    ...from,
  }
}

function toTaint({ dataClass, origins }: NonNullable<WorkingCall['taint']>): Taint {
  return { ...(dataClass === null ? {} : { dataClass }), origins }
}
