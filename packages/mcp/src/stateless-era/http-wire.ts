import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { OutboundFetch } from '@rollcall/host'
import { type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'
import { createGuardedFetch, type GuardedFetch } from '../transports/guarded-fetch.ts'
import { readRefusals } from './read-refusals.ts'
import type { SendOptions, StatelessHooks, StatelessWire } from './stateless-wire.ts'

/** An event that was read as the stream's last may still be on its way through the SDK's parser. */
const lastEventMs = 50

/**
 * Speaks streamable HTTP. Each request goes through an SDK transport of its own: without a session there is nothing to
 * share, and whatever comes in a request's stream is known to be about that request.
 */
export class HttpWire implements StatelessWire {
  readonly #server: ResolvedHttp
  readonly #hooks: StatelessHooks
  readonly #fetch: GuardedFetch
  readonly #open = new Set<StreamableHTTPClientTransport>()
  #closed = false

  constructor(
    server: ResolvedHttp,
    hooks: StatelessHooks,
    options: { readonly fetch: OutboundFetch; readonly maxMessageBytes: number },
  ) {
    this.#server = server
    this.#hooks = hooks
    this.#fetch = createGuardedFetch(server, {
      fetch: readRefusals(options.fetch),
      maxBytes: options.maxMessageBytes,
      onEnded: (id, reason) => this.#missAnswer(id, reason),
    })
  }

  async start(): Promise<void> {}

  async send(message: JsonObject, { signal, headers, onStreamEnd }: SendOptions = {}): Promise<void> {
    if (this.#closed) throw closed(this.#server.name)
    const sdk = new StreamableHTTPClientTransport(this.#server.url, { fetch: this.#fetch })
    const { id } = message
    sdk.onmessage = (heard) => {
      // Parsed from JSON by the SDK, so it is JSON again.
      const plain = heard as unknown as JsonObject
      if (plain.method === undefined && id !== undefined) this.#finish(id, sdk)
      this.#hooks.onMessage(plain, id)
    }
    await sdk.start()
    this.#open.add(sdk)
    const end = () => this.#settle(id, sdk)
    signal?.addEventListener('abort', end, { once: true })
    try {
      // Our JSON becomes the SDK's message type at this border.
      await sdk.send(message as unknown as JSONRPCMessage, {
        ...(signal !== undefined && { requestSignal: signal }),
        ...(headers !== undefined && { headers }),
        onRequestStreamEnd: () => {
          end()
          onStreamEnd?.()
        },
      })
      // What expects no answer is over.
      if (id === undefined) end()
    } catch (error) {
      end()
      throw error
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all([...this.#open].map((sdk) => sdk.close().catch(() => {})))
    this.#open.clear()
    this.#hooks.onClosed(closed(this.#server.name))
  }

  vitals(): { readonly stderrTail: string; readonly noiseLines: number } {
    return { stderrTail: '', noiseLines: 0 }
  }

  /** It was answered; a server that leaves the stream open all the same is not listened to. */
  #finish(id: Json, sdk: StreamableHTTPClientTransport): void {
    this.#settle(id, sdk)
    // Its answer is handed over as well when its end fails.
    sdk.close().catch(() => {})
  }

  #settle(id: Json | undefined, sdk: StreamableHTTPClientTransport): void {
    if (id !== undefined) this.#fetch.settle(id)
    this.#open.delete(sdk)
  }

  #missAnswer(id: Json, reason: RollcallError): void {
    setTimeout(() => this.#hooks.onLost(id, reason), lastEventMs).unref()
  }
}

function closed(name: string): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `The connection to ${name} was closed.`, {
    hint: 'Repeat the call: it is opened again.',
  })
}
