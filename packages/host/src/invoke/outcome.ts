import type { Artifact, Digest, Json, JsonObject, JsonSchema, RollcallErrorCode, ToolContent } from '@rollcall/plugin'
import type { Taint } from '../gate/taint.ts'
import type { StreamId } from '../store/store.ts'

interface Outcome {
  readonly callId: string
  /** The text blocks together, or what happened, in words for the caller. */
  readonly text: string
  readonly durationMs: number
}

/** How a call ended, or that it waits. One vocabulary everywhere. */
export type ToolOutcome = Outcome &
  (
    | {
        readonly status: 'ok'
        readonly content: readonly ToolContent[]
        readonly structured?: unknown
        readonly artifacts: readonly Artifact[]
        readonly meta?: JsonObject
        /** What in it reads like instructions to a model, in words; such text stands between marks. */
        readonly suspicious?: readonly string[]
        readonly cut?: { readonly bytes: number; readonly full?: Digest }
      }
    | {
        readonly status: 'failed'
        readonly code: RollcallErrorCode
        readonly hint?: string
        readonly content: readonly ToolContent[]
        readonly structured?: unknown
        readonly meta?: JsonObject
        readonly suspicious?: readonly string[]
      }
    | { readonly status: 'denied'; readonly code: RollcallErrorCode; readonly hint?: string }
    | { readonly status: 'waiting'; readonly pending: Pending }
    | { readonly status: 'cancelled' }
    /** It began, and nobody knows whether it happened. Never retried by us. */
    | { readonly status: 'unknown'; readonly code: RollcallErrorCode; readonly hint: string }
  )

export interface CallRef {
  readonly stream: StreamId
  readonly callId: string
}

/** Anything that waits for a person. */
export type Pending = CallRef & {
  readonly tool: string
  /** Digest of definition, launch and arguments: what a decision is about. */
  readonly binds: Digest
  readonly expiresAt: number
} & (
    | {
        readonly kind: 'approval'
        readonly args: Json
        readonly preview: readonly string[]
        /** Which rule of the gate asks, and why. */
        readonly asked: { readonly decidedBy: string; readonly why: string }
        /** Why a yes is good for this call alone. Absent: it may be good for a while. */
        readonly once?: string
        /** What its caller had read before. */
        readonly taint: Taint
        /** The client's own name, where one is between. */
        readonly client?: string
      }
    | {
        readonly kind: 'input'
        /** What a person is asked for. */
        readonly schema: JsonSchema
        /** What is known of the arguments. */
        readonly args: Json
        readonly client?: string
      }
    | { readonly kind: 'unknown'; readonly args: Json }
  )

/** A pending call and what was decided: a fold of its events, never stored as a status of its own. */
export interface Approval {
  readonly pending: Pending
  /** Id of who made the call. */
  readonly principal: string
  readonly profile: string
  readonly askedAt: number
  readonly decision?: { readonly by: string; readonly approved: boolean; readonly reason?: string; readonly at: number }
  readonly claimed: boolean
}

/** That a yes is good for the next calls of the tool, too. */
export interface GrantWish {
  /** Only calls with these very arguments, or any. */
  readonly args: 'exact' | 'any'
  /** Milliseconds from now, at most eight hours; or as long as the session of the client that asked. */
  readonly for: number | 'session'
}

/** A person's word on a pending call. */
export type Answer = { readonly binds: Digest; readonly reason?: string } & (
  | { readonly kind: 'approval'; readonly approved: boolean; readonly grant?: GrantWish }
  | { readonly kind: 'input'; readonly data: Json }
  | { readonly kind: 'unknown'; readonly treatAs: 'done' | 'retry' | 'abort'; readonly result?: Json }
)
