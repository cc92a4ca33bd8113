import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { isRollcallError, type JsonObject, RollcallError } from '@rollcall/plugin'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'
import { EventMeter } from '../transports/event-meter.ts'
import { notTheProtocol, tooMuch } from '../transports/http-fault.ts'
import { createServerFetch, mediaTypeOf } from '../transports/server-fetch.ts'
import { watchBody } from '../transports/watch-body.ts'
import type { Wire } from '../transports/wire.ts'
import type { HttpOptions } from './http-transport.ts'

/**
 * Speaks the transport that was there before streamable HTTP: one stream carries all answers. When it ends the connection
 * is over, since a new stream would be another session.
 */
export class SseTransport implements Wire {
  readonly #server: ResolvedHttp
  readonly #options: HttpOptions
  readonly #sdk: SSEClientTransport
  readonly #opening = Promise.withResolvers<void>()
  #isOpen = false
  #closed = false

  constructor(server: ResolvedHttp, options: HttpOptions) {
    this.#server = server
    this.#options = options
    const ask = createServerFetch(server, options.fetch)
    this.#sdk = new SSEClientTransport(server.url, {
      fetch: async (input, init) => {
        if (init?.method === 'POST') return ask(input, init)
        const response = await ask(input, init).catch((error: unknown) => this.#refuse(error))
        if (mediaTypeOf(response) === 'text/event-stream') return this.#watch(response)
        await response.body?.cancel()
        return this.#refuse(notTheProtocol(server, mediaTypeOf(response)))
      },
    })
    this.#sdk.onmessage = (message) => options.onMessage(message as unknown as JsonObject)
    this.#sdk.onerror = (error) => {
      // The SDK ends the stream right after it; what it says here is why.
      if (!this.#isOpen) this.#end(unopened(server, error))
    }
    // Whoever closes it before it is open waits for nothing.
    this.#opening.promise.catch(() => {})
  }

  async start(): Promise<void> {
    this.#sdk.start().then(this.#opening.resolve, (error: unknown) => this.#end(unopened(this.#server, error)))
    await this.#opening.promise
    this.#isOpen = true
  }

  async send(message: JsonObject): Promise<void> {
    // Our JSON becomes the SDK's message type at this border.
    await this.#sdk.send(message as unknown as JSONRPCMessage)
  }

  async close(): Promise<void> {
    this.#end(over(this.#server, 'was closed'))
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version)
  }

  vitals(): { readonly stderrTail: string; readonly noiseLines: number } {
    return { stderrTail: '', noiseLines: 0 }
  }

  #watch(response: Response): Response {
    const { maxMessageBytes } = this.#options
    const meter = new EventMeter()
    const ended = () => {
      const reason = over(this.#server, 'ended')
      this.#end(reason)
      return reason
    }
    return watchBody(response, {
      onChunk: (chunk) => {
        meter.feed(chunk)
        if (meter.bytes > maxMessageBytes) throw tooMuch(this.#server, maxMessageBytes)
      },
      onDone: ended,
      onBroken: (error) => {
        if (!isRollcallError(error)) return ended()
        this.#end(error)
        return error
      },
    })
  }

  /** The SDK would ask for the stream again and again. */
  #refuse(error: unknown): never {
    if (!isRollcallError(error)) throw error
    const { code, message, hint, data } = error
    // Who asked for this transport only because another was refused need not hear of it.
    const isNoStream = code === 'SERVER_PROTOCOL' || data?.status !== undefined
    const reason = new RollcallError(code, message, { hint, data: { ...data, isNoStream } })
    this.#end(reason)
    throw reason
  }

  #end(reason: RollcallError): void {
    if (this.#closed) return
    this.#closed = true
    this.#opening.reject(reason)
    void this.#sdk.close()
    this.#options.onClosed(reason)
  }
}

function over({ name }: ResolvedHttp, how: string): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `The connection to ${name} ${how}.`, {
    hint: 'Repeat the call: it is opened again.',
  })
}

/** The server named no place for messages, or one that may not be used. */
function unopened({ name }: ResolvedHttp, error: unknown): RollcallError {
  const foreign = /^Endpoint origin does not match connection origin: (\S{1,200})$/.exec(
    error instanceof Error ? error.message : '',
  )
  const why =
    foreign === null ? 'names no place for messages' : `names ${foreign[1]} for messages; that is not followed`
  return new RollcallError('SERVER_PROTOCOL', `${name} ${why}.`, {
    hint: `Check that "providers.${name}.url" is an MCP endpoint, and write the origin that is right into it.`,
    data: { sent: false },
  })
}
