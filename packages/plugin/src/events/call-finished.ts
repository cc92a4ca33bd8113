/** A call is over. A fact: notified, never awaited. */
export class CallFinished {
  static readonly type = 'callFinished'
  readonly callId: string
  readonly tool: string
  readonly status: 'ok' | 'failed' | 'denied' | 'cancelled' | 'unknown'
  readonly durationMs: number

  constructor(fact: Omit<CallFinished, never>) {
    this.callId = fact.callId
    this.tool = fact.tool
    this.status = fact.status
    this.durationMs = fact.durationMs
  }
}
