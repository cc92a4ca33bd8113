import { setTimeout as sleep } from 'node:timers/promises'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { OutboundFetch } from '@rollcall/host'
import { type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'
import { isJsonObject } from '../is-json-object.ts'
import { createGuardedFetch, type GuardedFetch } from '../transports/guarded-fetch.ts'
import type { Wire } from '../transports/wire.ts'
import type { SdkHooks } from './sdk-transport.ts'

/** An event that was read as the stream's last may still be on its way through the SDK's parser. */
const lastEventMs = 50
const goodbyeMs = 500
/** After a cancel the answer may still be on its way. */
const lateAnswerMs = 500

/** What a transport over HTTP needs. */
export interface HttpOptions extends SdkHooks {
  readonly fetch: OutboundFetch
  /** The longest single message that is read. */
  readonly maxMessageBytes: number
}

/** Speaks streamable HTTP through the SDK, with a fetch of our own. */
export class HttpTransport implements Wire {
  readonly #server: ResolvedHttp
  readonly #hooks: SdkHooks
  readonly #sdk: StreamableHTTPClientTransport
  readonly #fetch: GuardedFetch
  #closed = false

  constructor(server: ResolvedHttp, options: HttpOptions) {
    this.#server = server
    this.#hooks = options
    this.#fetch = createGuardedFetch(server, {
      fetch: options.fetch,
      maxBytes: options.maxMessageBytes,
      onEnded: (id, reason) => this.#missAnswer(id, reason),
    })
    this.#sdk = new StreamableHTTPClientTransport(server.url, {
      fetch: this.#fetch,
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 30_000,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 2,
      },
    })
    this.#sdk.onmessage = (message) => {
      const plain = message as unknown as JsonObject
      if (plain.method === undefined && plain.id !== undefined) this.#fetch.settle(plain.id)
      options.onMessage(plain)
    }
  }

  start(): Promise<void> {
    return this.#sdk.start()
  }

  async send(message: JsonObject): Promise<void> {
    const { method, params } = message
    if (method === 'notifications/cancelled' && isJsonObject(params) && params.requestId !== undefined) {
      const { requestId } = params
      setTimeout(() => this.#fetch.abandon(requestId), lateAnswerMs).unref()
    }
    // Our JSON becomes the SDK's message type at this border.
    await this.#sdk.send(message as unknown as JSONRPCMessage)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const { name } = this.#server
    // A server need not know the end of a session; one that does not answer must not hold up ours.
    const ended = this.#sdk.terminateSession().catch(() => {})
    await Promise.race([ended, sleep(goodbyeMs, undefined, { ref: false })])
    await this.#sdk.close().catch(() => {})
    this.#hooks.onClosed(
      new RollcallError('SERVER_UNAVAILABLE', `The connection to ${name} was closed.`, {
        hint: 'Repeat the call: it is opened again.',
      }),
    )
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version)
  }

  vitals(): { readonly stderrTail: string; readonly noiseLines: number } {
    return { stderrTail: '', noiseLines: 0 }
  }

  #missAnswer(id: Json, reason: RollcallError): void {
    setTimeout(() => this.#hooks.onLost(id, reason), lastEventMs).unref()
  }
}
