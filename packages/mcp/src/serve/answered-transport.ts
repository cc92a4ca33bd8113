import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

/** Carries messages over another transport, and knows which requests of the client are not answered yet. */
export class AnsweredTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #inner: Transport
  // Ids are ours on the inside: a client may repeat one while it is in use, and the SDK can't cancel a request of id 0.
  readonly #open = new Map<number, RequestId>()
  #lastId = 0
  #onAnswered: (() => void) | undefined

  constructor(inner: Transport) {
    this.#inner = inner
  }

  start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#receive(message)
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    return this.#inner.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) return this.#inner.send(message)
    const { id } = message
    const clientId = typeof id === 'number' ? this.#open.get(id) : undefined
    if (typeof id !== 'number' || clientId === undefined) return
    await this.#inner.send({ ...message, id: clientId })
    this.#settle(id)
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

  #receive(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) {
      this.#lastId += 1
      this.#open.set(this.#lastId, message.id)
      this.onmessage?.({ ...message, id: this.#lastId })
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      for (const [id, clientId] of this.#open) {
        if (clientId === message.params?.requestId) this.#cancel(id)
      }
    } else {
      this.onmessage?.(message)
    }
  }

  #cancel(id: number): void {
    const params = { requestId: id, reason: 'The client cancelled the request.' }
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    // What was cancelled gets no answer.
    this.#settle(id)
  }

  #settle(id: number): void {
    if (this.#open.delete(id) && this.#open.size === 0) this.#onAnswered?.()
  }
}
