import type { CallerPort, CallingClient } from '@rollcall/host'
import type { JsonObject, Principal } from '@rollcall/plugin'

/** One request of an MCP client, whichever era it speaks: plain JSON, under a known name. */
export interface ClientRequest {
  readonly method: string
  readonly params: JsonObject
  readonly principal: Principal
  readonly profile: string
  /** The session; absent for a request that belongs to none: it is told apart by its `caller`. */
  readonly client?: CallingClient
  /** Answers what servers ask while they work on this request; `capabilities` are the client's own. */
  readonly caller: CallerPort
  readonly signal: AbortSignal
  /** The log messages that it wants to hear, where each request says so. */
  readonly logLevel?: string
  /** Absent where the client wants to hear of no progress. */
  readonly onProgress?: (progress: {
    readonly progress: number
    readonly total?: number
    readonly message?: string
  }) => void
}

/**
 * Answers a request of either era with the result of the session revisions; the stateless face adds what its revision
 * wants besides. `initialize`, `server/discover`, `ping` and `subscriptions/listen` are the eras' own.
 *
 * @throws {RpcError} what the client is told instead.
 */
export type AnswerRequest = (request: ClientRequest) => Promise<JsonObject>

/** What changed for a consumer, as it would see it. */
export interface ListChange {
  readonly tools: boolean
  readonly prompts: boolean
  readonly resources: boolean
}

/** What the two eras share: everything that is not about messages, streams and sessions. */
export interface Answering extends Disposable {
  readonly answer: AnswerRequest
  /** For `initialize` and `server/discover`. */
  describe(who: Pick<ClientRequest, 'principal' | 'profile'>): {
    readonly serverInfo: JsonObject
    readonly capabilities: JsonObject
    readonly instructions: string
  }
  /**
   * Calls back some time after lists changed for this consumer, once for changes in quick succession, and only if what
   * it sees differs. @returns the undo.
   */
  watch(
    who: Pick<ClientRequest, 'principal' | 'profile'> & { readonly capabilities: JsonObject },
    listener: (change: ListChange) => void,
  ): () => void
}
