import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

/** Carries messages over another transport, and knows which requests of the client are not answered yet. */
export class AnsweredTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #inner: Transport
  readonly #open = new Set<RequestId>()
  #onAnswered: (() => void) | undefined

  constructor(inner: Transport) {
    this.#inner = inner
  }

  start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      this.#note(message)
      this.onmessage?.(message)
    }
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    return this.#inner.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#inner.send(message)
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id)
  }

  close(): Promise<void> {
    this.#open.clear()
    this.#onAnswered?.()
    return this.#inner.close()
  }

  /** Resolves when no request is open, and at the latest after `limitMs`. */
  answered(limitMs: number): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs)
      this.#onAnswered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) this.#open.add(message.id)
    // What was cancelled gets no answer.
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#settle(cancelled)
  }

  #settle(id: RequestId): void {
    if (this.#open.delete(id) && this.#open.size === 0) this.#onAnswered?.()
  }
}
