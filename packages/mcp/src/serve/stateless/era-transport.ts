import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Carries the messages of the session revisions over a connection on which the stateless one is spoken too. */
export class EraTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #inner: Transport
  readonly #take: (message: JSONRPCMessage) => boolean

  /** @param take gets every message of the client first, and says whether it has taken it. */
  constructor(inner: Transport, take: (message: JSONRPCMessage) => boolean) {
    this.#inner = inner
    this.#take = take
  }

  start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      if (!this.#take(message)) this.onmessage?.(message)
    }
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    return this.#inner.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
