/** A call waits for a person. A fact: notified, never awaited. */
export class ApprovalRequested {
  static readonly type = 'approvalRequested'
  readonly callId: string
  readonly tool: string

  constructor(fact: Omit<ApprovalRequested, never>) {
    this.callId = fact.callId
    this.tool = fact.tool
  }
}
