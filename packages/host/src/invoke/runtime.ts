import type { Context } from '@opentelemetry/api'
import type { Finding, JsonObject, Principal, RollcallErrorCode } from '@rollcall/plugin'
import type { ToolView } from '../catalogue/catalogue.ts'
import type { Verdict } from '../gate/gate.ts'
import type { Grant } from '../gate/grant.ts'
import type { ApprovalChannel } from '../gate/profile.ts'
import type { CallerPort, CallingClient } from '../providers/provider.ts'
import type { ReplayedCall } from '../report/replay.ts'
import type { StreamId } from '../store/store.ts'
import type { CallerTrace } from '../telemetry/trace-context.ts'
import type { CallEvent } from './call-event.ts'
import type { Answer, Approval, CallRef, ToolOutcome } from './outcome.ts'

/** Under whose name, and by which rules. */
export interface Who {
  readonly principal: Principal
  /** Default `direct`. */
  readonly profile?: string
  /** Narrows the profile, never widens it. */
  readonly allow?: readonly string[]
  /** Set where a model reads the results: bytes of text that it gets at once. Absent: everything. */
  readonly resultBytes?: number
}

/** Where a call's events go: its own stream, or the stream of its run. A conflict means that another was first. */
export interface Recorder {
  readonly stream: StreamId
  append(events: readonly CallEvent[]): Promise<'appended' | 'conflict'>
  read(): Promise<readonly CallEvent[]>
}

export interface CallOptions extends Who {
  readonly signal?: AbortSignal
  readonly caller?: CallerPort
  readonly client?: CallingClient
  /** The trace in which the caller works. */
  readonly trace?: CallerTrace
  /** Set by the runtime: the context of the call's own span. */
  readonly span?: Context
  /** Fields of the caller's own `_meta` that go to the server; reserved ones are taken out. */
  readonly meta?: JsonObject
  readonly onProgress?: (progress: {
    readonly done: number
    readonly total?: number
    readonly message?: string
  }) => void
  readonly run?: { readonly id: string; readonly callId: string; readonly recorder: Recorder }
}

/** What `answer` found. */
export type Answered =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: RollcallErrorCode; readonly message: string; readonly hint: string }

/** The only code that executes a tool: find, parse, gate, record, execute, bound, record. */
export interface ToolRuntime {
  /**
   * The tools that this consumer may call or ask for, in a stable order.
   *
   * @throws {RollcallError} `CATALOGUE_NOT_READY` inside a listener of the registration event, `CONFIG_INVALID` for an
   * unknown profile.
   */
  list(who: Who): readonly ToolView[]
  /** Every tool of the catalogue, held or not: for operators' faces. */
  all(): readonly ToolView[]
  /** Never rejects. */
  call(tool: string, args: unknown, options: CallOptions): Promise<ToolOutcome>
  /**
   * Waits for a person's decision on a pending call of one's own and executes it; `waiting` again when the time is over,
   * and then an approval that comes later still executes it. An aborted signal withdraws the call. Never rejects.
   */
  wait(call: CallRef, options: CallOptions & { readonly timeoutMs: number }): Promise<ToolOutcome>
  /** By what the maker of a waiting call can wait for it later; it is of use to nobody else, and decides nothing. */
  handle(call: CallRef, options: Who & Pick<CallOptions, 'client'>): Promise<string>
  /** As `wait`, by such a handle. One that is none, or somebody else's, is `APPROVAL_NOT_FOUND`. Never rejects. */
  await(handle: unknown, options: CallOptions & { readonly timeoutMs: number }): Promise<ToolOutcome>
  /**
   * Records one decision of an admin or a holder of `runs:approve`, or says why not. Executes nothing. Never rejects.
   *
   * @param channel where it comes from, default `library`; the call's profile says which ones it takes a yes from
   */
  answer(
    call: CallRef,
    answer: Answer,
    principal: Principal,
    channel?: Exclude<ApprovalChannel, 'elicitation'>,
  ): Promise<Answered>
  /** Executes a decided call of one's own (an admin: of anybody), once for each decision. Never rejects. */
  resume(call: CallRef, options: CallOptions): Promise<ToolOutcome>
  /**
   * Every vote about a tool, and the findings about it.
   *
   * @throws {RollcallError} as `list`.
   */
  why(
    tool: string,
    who: Who,
  ): { readonly view?: ToolView; readonly verdict: Verdict; readonly findings: readonly Finding[] }
  /**
   * What waits for a person: all for an admin and a holder of `runs:approve`, else the principal's own. A write that a
   * process began and never ended is among them, of kind `unknown`.
   *
   * @throws {RollcallError} `STORE_UNAVAILABLE`; `HOST_CLOSED` after the host was closed.
   */
  pending(principal: Principal): Promise<readonly Approval[]>
  /**
   * The yeses that are good for a while: all for whoever may decide, else the principal's own.
   *
   * @throws {RollcallError} as `pending`.
   */
  grants(principal: Principal): Promise<readonly Grant[]>
  /**
   * What the gate of now would say of recorded calls, oldest first.
   *
   * @param since milliseconds since the epoch
   * @throws {RollcallError} as `pending`.
   */
  replay(since?: number): AsyncIterable<ReplayedCall>
  /** Takes such a yes back: one's own, or any for whoever may decide. Never rejects. */
  revoke(grant: string, principal: Principal): Promise<Answered>
}
