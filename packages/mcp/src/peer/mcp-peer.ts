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
}

/** A server's answer: its result, or the error it answered with. */
export type PeerAnswer =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: { readonly code: number; readonly message: string } }

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
  /** @returns the undo. */
  onNotification(listener: (method: string, params: Json) => void): () => void
  /** Called once, with the reason, when the connection is over. @returns the undo. */
  onClosed(listener: (reason: RollcallError) => void): () => void
}
