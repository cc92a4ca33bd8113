import type { Logger } from '../logger.ts'
import type { Principal } from '../principal.ts'

/** What a tool knows about the call that it serves: explicit, per call, nothing captured at registration. */
export interface ToolContext {
  readonly principal: Principal
  readonly profile: string
  readonly callId: string
  readonly runId?: string
  /** The same for every repetition of this call: hand it to whatever you write to. */
  readonly idempotencyKey: string
  /** Aborted when the caller cancels, the time is over, or the host closes. */
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Tells the caller how far this is; extends the time limit up to 300 s in all. */
  progress(done: number, total?: number, message?: string): void
}
