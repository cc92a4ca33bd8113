/** An error that becomes a JSON-RPC error with this code and this text, and nothing else. */
export class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
}
