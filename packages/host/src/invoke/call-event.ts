import type { DataClassName, Digest, Effect, RollcallErrorCode, TrustZoneName } from '@rollcall/plugin'
import type { ArgumentsDigest } from '../gate/arguments-digest.ts'
import type { GateRuleName, GateSubject, Verdict } from '../gate/gate.ts'
import type { ApprovalChannel } from '../gate/profile.ts'
import type { Taint } from '../gate/taint.ts'
import type { Pending, ToolOutcome } from './outcome.ts'

/** The journal of a call: what approvals, claims and audit are folds of. */
export type CallEvent = { readonly callId: string } & (
  | {
      readonly type: 'call.proposed'
      readonly tool: string
      /** What it is, where it is no tool. */
      readonly subject?: Exclude<GateSubject['kind'], 'tool'>
      readonly original: string
      readonly appId: string
      /** Absent: no such tool. */
      readonly definition?: Digest
      readonly args: ArgumentsDigest
      readonly principal: string
      readonly profile: string
      readonly effect: Effect
      readonly dataClass: DataClassName
      readonly zone: TrustZoneName
    }
  | {
      readonly type: 'call.gated'
      readonly verdict: Verdict['verdict']
      readonly decidedBy: GateRuleName
      readonly why: string
      /** What its caller had read before, where the gate looked at that. */
      readonly taint?: Taint
      /** A person's earlier yes that covers it. */
      readonly grant?: string
    }
  | {
      readonly type: 'call.asked'
      readonly kind: Pending['kind']
      readonly binds: Digest
      readonly expiresAt: number
      /** Who wants a person to look at the arguments. */
      readonly guardrails?: readonly string[]
    }
  | {
      readonly type: 'call.answered'
      readonly by: string
      /** Absent where an older program wrote it. */
      readonly channel?: ApprovalChannel
      readonly answer: 'approved' | 'denied' | 'submitted' | 'done' | 'retry' | 'abort'
      readonly reason?: string
      /** What a person added to the arguments counts from here on: the digest of all of them. */
      readonly args?: ArgumentsDigest
      /** Decided by the person who made the call. */
      readonly self: boolean
      /** The yes is good for the next calls, too. */
      readonly grant?: { readonly id: string; readonly until: number; readonly args: 'any' | ArgumentsDigest }
    }
  /** `until`: milliseconds since the epoch after which no process can still be executing it. */
  | { readonly type: 'call.started'; readonly until: number }
  | {
      readonly type: 'call.ended'
      readonly status: Exclude<ToolOutcome['status'], 'waiting'>
      readonly code?: RollcallErrorCode
      readonly durationMs: number
      readonly late?: boolean
      /** Who redacted, flagged, withheld or denied. */
      readonly guardrails?: readonly string[]
    }
)
