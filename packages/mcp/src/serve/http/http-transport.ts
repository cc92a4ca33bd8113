import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type EventStream, eventStreamHeaders, openEventStream } from './event-stream.ts'
import { createPostAnswer, type PostAnswer } from './post-answer.ts'

/**
 * One session over streamable HTTP, towards the SDK's `Server`.
 *
 * The SDK has a transport of its own. It leaves the answer to a cancelled request open, lets a call run on when its client
 * has gone, and answers every request by an event stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class HttpTransport implements Transport {
  readonly sessionId: string
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']

  // Ids are ours on the inside: a client may repeat one while it is in use, and the SDK can't cancel a request of id 0.
  readonly #requests = new Map<number, { readonly clientId: RequestId; readonly answer: PostAnswer }>()
  readonly #answers = new Set<PostAnswer>()
  #lastId = 0
  #stream: EventStream | undefined
  #isClosed = false

  constructor(sessionId: string) {
    this.sessionId = sessionId
  }

  /** POSTs that are being answered. */
  get openAnswers(): number {
    return this.#answers.size
  }

  get hasStream(): boolean {
    return this.#stream !== undefined
  }

  async start(): Promise<void> {}

  /** Takes the messages of one POST. @returns the response; never rejects. */
  async post(
    messages: readonly JSONRPCMessage[],
    options: { isBatch: boolean; signal: AbortSignal },
  ): Promise<Response> {
    const requests = messages.filter(isRequest).length
    const headers = { 'mcp-session-id': this.sessionId }
    const answer = requests === 0 ? undefined : this.#openAnswer(requests, headers, options)
    for (const message of messages) this.#receive(message, answer)
    return answer?.response ?? new Response(null, { status: 202, headers })
  }

  /** Opens the one stream for what belongs to no request; `undefined` while there is one. */
  openStream(): Response | undefined {
    if (this.#stream !== undefined) return undefined
    this.#stream = openEventStream(() => {
      this.#stream = undefined
    })
    return new Response(this.#stream.body, { headers: { 'mcp-session-id': this.sessionId, ...eventStreamHeaders } })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) {
      const related = options?.relatedRequestId
      if (related === undefined) this.#stream?.write(message)
      else if (typeof related === 'number') this.#requests.get(related)?.answer.tell(message)
      return
    }
    const id = message.id
    const request = typeof id === 'number' ? this.#requests.get(id) : undefined
    if (typeof id !== 'number' || request === undefined) return
    this.#requests.delete(id)
    request.answer.settle({ ...message, id: request.clientId })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
    this.#requests.clear()
    for (const answer of [...this.#answers]) answer.end()
    this.#stream?.close()
    this.#stream = undefined
  }

  #openAnswer(
    requests: number,
    headers: Readonly<Record<string, string>>,
    options: { isBatch: boolean; signal: AbortSignal },
  ): PostAnswer {
    const answer = createPostAnswer({
      ...options,
      requests,
      headers,
      onGone: () => this.#cancelAll(answer),
      onEnd: () => this.#answers.delete(answer),
    })
    this.#answers.add(answer)
    return answer
  }

  #receive(message: JSONRPCMessage, answer: PostAnswer | undefined): void {
    if (answer !== undefined && isRequest(message)) {
      this.#lastId += 1
      this.#requests.set(this.#lastId, { clientId: message.id, answer })
      this.onmessage?.({ ...message, id: this.#lastId })
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      const cancelled = message.params?.requestId
      for (const [id, { clientId }] of this.#requests) {
        if (clientId === cancelled) this.#cancel(id, 'The client cancelled the request.')
      }
    } else {
      this.onmessage?.(message)
    }
  }

  #cancelAll(answer: PostAnswer): void {
    for (const [id, request] of this.#requests) {
      if (request.answer === answer) this.#cancel(id, 'The client has gone.')
    }
  }

  #cancel(id: number, reason: string): void {
    const request = this.#requests.get(id)
    this.#requests.delete(id)
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
    request?.answer.settle(undefined)
  }
}

type Request = Extract<JSONRPCMessage, { readonly method: string; readonly id: RequestId }>

function isRequest(message: JSONRPCMessage): message is Request {
  return 'method' in message && 'id' in message
}
