import type { Json, JsonObject, RollcallError } from '@rollcall/plugin'

/** What is known about a server's process or connection at this moment. */
export interface PeerVitals {
  readonly pid?: number
  /** Last 8 KB of its error output, redacted and escaped; empty for HTTP. */
  readonly stderrTail: string
  /** Lines on standard output that were no protocol messages. */
  readonly noiseLines: number
}

/** How one request may take its time. */
export interface PeerRequestOptions {
  readonly signal: AbortSignal
  /** Milliseconds without an answer or progress. */
  readonly timeoutMs: number
  /** Milliseconds in all, however much progress is reported. Default: `timeoutMs`. */
  readonly maxTotalTimeoutMs?: number
  readonly onProgress?: (progress: JsonObject) => void
  /** A tool call that changes nothing: where the server asks to come later, it is sent again then. */
  readonly repeatable?: boolean
  /** Fields for the request's `_meta`, besides those that the protocol needs. */
  readonly meta?: JsonObject
  /**
   * Answers what the server asks while it works on this request, where the era tells which request a question belongs
   * to; else the connection's own handler is asked.
   */
  readonly onServerRequest?: OnServerRequest
  /** Hears what the server says about this very request, where the era tells. */
  readonly onNotification?: (method: string, params: JsonObject) => void
}

/**
 * Answers a request of the server: `sampling/createMessage`, `elicitation/create`, `roots/list`.
 *
 * @throws {ServerRequestError} what the server is told instead.
 */
export type OnServerRequest = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

/** A refusal, as the server is told it. */
export class ServerRequestError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'ServerRequestError'
    this.code = code
  }
}

/** A server's answer: its result, or the error it answered with. */
export type PeerAnswer =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: { readonly code: number; readonly message: string; readonly data?: Json } }

/** One connected server, whichever SDK speaks underneath. Plain JSON only: SDK objects never cross. */
export interface McpPeer extends AsyncDisposable {
  readonly era: 'session' | 'stateless'
  readonly protocolVersion: string
  readonly server: {
    readonly name: string
    readonly version: string
    readonly capabilities: JsonObject
    readonly instructions?: string
  }
  /**
   * Sends one request and waits for its answer.
   *
   * @throws {RollcallError} `SERVER_UNAVAILABLE` (lost or cancelled), `SERVER_TIMEOUT` or `SERVER_PROTOCOL`.
   * `data.sent` is true when the server may have acted on the request.
   */
  request(method: string, params: JsonObject, options: PeerRequestOptions): Promise<PeerAnswer>
  /** Sends a notification; one that can not be sent is dropped. */
  notify(method: string, params: JsonObject): void
  /**
   * Hears what the server says and belongs to no request of ours. In the stateless era this listens by
   * `subscriptions/listen`. @returns the undo.
   */
  onNotification(listener: (method: string, params: Json) => void): () => void
  /** Called once, with the reason, when the connection is over. @returns the undo. */
  onClosed(listener: (reason: RollcallError) => void): () => void
}
