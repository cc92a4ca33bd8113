import type { Json, Principal, ToolTraits } from '@rollcall/plugin'
import type { Hold } from '../catalogue/hold.ts'
import type { Grant } from './grant.ts'
import type { GatePolicy } from './policy.ts'
import type { Profile } from './profile.ts'
import type { Taint } from './taint.ts'

/** What the gate may look at. A tool is one; prompts, resources and sampling requests are others. */
export interface GateSubject {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'completion' | 'sampling' | 'elicitation' | 'roots'
  readonly name: string
  readonly appId: string
  readonly traits: ToolTraits
  readonly holds: readonly Hold[]
  /** Whether it is a function of this process. Anything else counts as external. */
  readonly kept?: 'inProcess'
  /** Its server describes it otherwise than a person has seen it. */
  readonly drifting?: true
}

/** In the order in which a denial is reported: least revealing first. */
export const gateRules = ['registered', 'held', 'admin', 'profile', 'zone', 'rule', 'approval'] as const
export type GateRuleName = (typeof gateRules)[number]

export interface Vote {
  readonly rule: GateRuleName
  readonly vote: 'allow' | 'ask' | 'deny' | 'abstain'
  readonly why: string
}

export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly decidedBy: GateRuleName
  readonly votes: readonly Vote[]
}

/** One question to the gate. */
export interface GateQuestion {
  /** `undefined`: no such tool. */
  readonly subject: GateSubject | undefined
  readonly principal: Principal
  readonly profile: Profile
  /** The tables and rules of the operator. */
  readonly policy: GatePolicy
  /** Patterns by which a request narrows its profile; never widens it. */
  readonly allow?: readonly string[]
  /** Whether the author's `when(args)` asks for a person. Absent: offering, so that counts as yes. */
  readonly argumentsAsk?: boolean
  /** The very arguments. Absent: offering; a rule that is about them counts as asking then. */
  readonly args?: Json
  /** What this consumer has read lately. Absent: offering. */
  readonly taint?: Taint
  /** A person's earlier yes that covers this very call. */
  readonly grant?: Grant
}

/** One rule, one file. */
export type GateRule = (question: GateQuestion & { readonly subject: GateSubject }) => Omit<Vote, 'rule'>
