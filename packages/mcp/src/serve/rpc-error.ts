import type { Json } from '@rollcall/plugin'

/** An error that becomes a JSON-RPC error with this code, this text and this data, and nothing else. */
export class RpcError extends Error {
  readonly code: number
  readonly data?: Json

  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    if (data !== undefined) this.data = data
  }
}

export const invalidParams = -32602
/** Of the session revisions; the stateless one says `invalidParams` instead. */
export const resourceNotFound = -32002
export const internalError = -32603
export const methodNotFound = -32601
