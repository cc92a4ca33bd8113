import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { RollcallError } from '@rollcall/plugin'
import { createEventLog, type LoggedEvent, type StreamLog } from './event-log.ts'
import { type EventStream, eventStreamHeaders, openEventStream } from './event-stream.ts'
import { createPostAnswer, type PostAnswer, type PostOptions } from './post-answer.ts'

/** How event streams end and are taken up again. Times in milliseconds. */
export interface StreamLimits {
  /** Default 15,000: a client whose stream broke off may come back for so long before its calls are cancelled. */
  readonly resumeMs: number
  /** Default: none. After so long the stream of an answer is closed, and the client comes back for the rest. */
  readonly streamMs: number
}

export const defaultStreamLimits: StreamLimits = { resumeMs: 15_000, streamMs: Number.POSITIVE_INFINITY }

/** Older clients take an event without a message for a fault. */
const firstResumable = '2025-11-25'

/**
 * One session over streamable HTTP, towards the SDK's `Server`.
 *
 * The SDK has a transport of its own. It leaves the answer to a cancelled request open, lets a call run on when its client
 * has gone for good, and answers every request by an event stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class HttpTransport implements Transport {
  readonly sessionId: string
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']

  readonly #limits: StreamLimits
  // Ids are ours on the inside: a client may repeat one while it is in use, and the SDK can't cancel a request of id 0.
  readonly #requests = new Map<number, { readonly clientId: RequestId; readonly answer: PostAnswer }>()
  /** By the number of their streams. */
  readonly #answers = new Map<number, PostAnswer>()
  readonly #log = createEventLog()
  /** What belongs to no request. */
  readonly #own: StreamLog = this.#log.open()
  #lastId = 0
  #initializeId: number | undefined
  #isResumable = false
  #stream: EventStream | undefined
  #isClosed = false

  constructor(sessionId: string, limits: StreamLimits = defaultStreamLimits) {
    this.sessionId = sessionId
    this.#limits = limits
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
  async post(messages: readonly JSONRPCMessage[], options: PostOptions): Promise<Response> {
    const requests = messages.filter(isRequest).length
    const answer = requests === 0 ? undefined : this.#openAnswer(requests, options)
    for (const message of messages) this.#receive(message, answer)
    return answer?.response ?? new Response(null, { status: 202, headers: this.#headers() })
  }

  /** Opens the one stream for what belongs to no request; `undefined` while there is one. */
  openStream(): Response | undefined {
    return this.#stream === undefined ? this.#openOwnStream([]) : undefined
  }

  /** Goes on after an event that the client has read; `undefined` where that is not known any more. */
  resume(lastId: string): Response | undefined {
    const found = this.#log.after(lastId)
    if (found === undefined) return undefined
    const { stream, missed } = found
    if (stream === this.#own.stream) return this.#openOwnStream(missed)
    const answer = this.#answers.get(stream)
    return answer?.resume(missed) ?? this.#replay(missed)
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) return this.#tell(message, options?.relatedRequestId)
    const id = message.id
    const request = typeof id === 'number' ? this.#requests.get(id) : undefined
    if (typeof id !== 'number' || request === undefined) return
    this.#requests.delete(id)
    if (id === this.#initializeId && 'result' in message) this.#noteVersion(message.result.protocolVersion)
    request.answer.settle({ ...message, id: request.clientId })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
    this.#requests.clear()
    for (const answer of [...this.#answers.values()]) answer.end()
    this.#stream?.close()
    this.#stream = undefined
  }

  #tell(message: JSONRPCMessage & { readonly method: string }, related: RequestId | undefined): void {
    const request = typeof related === 'number' ? this.#requests.get(related) : undefined
    if (request !== undefined) {
      request.answer.tell(message)
    } else if (related === undefined && (this.#stream !== undefined || !('id' in message))) {
      this.#stream?.write(this.#own.add(JSON.stringify(message)))
    } else if ('id' in message) {
      // Whoever asks learns that nobody was asked.
      throw new RollcallError('SERVE_REFUSED', 'The client has no stream open by which it could be asked.', {
        hint: 'Its calls carry what servers ask; outside of them the client opens a stream with GET.',
      })
    }
  }

  #openOwnStream(missed: readonly LoggedEvent[]): Response {
    this.#stream?.close()
    const opened = openEventStream(() => {
      if (this.#stream === opened) this.#stream = undefined
    })
    this.#stream = opened
    if (this.#isResumable) opened.prime(this.#own.firstId())
    for (const event of missed) opened.write(event)
    return this.#response(opened)
  }

  /** All that is left of an answer that has ended. */
  #replay(missed: readonly LoggedEvent[]): Response {
    const stream = openEventStream(() => {})
    for (const event of missed) stream.write(event)
    stream.close()
    return this.#response(stream)
  }

  #response({ body }: EventStream): Response {
    return new Response(body, { headers: { ...this.#headers(), ...eventStreamHeaders } })
  }

  #headers(): Readonly<Record<string, string>> {
    return { 'mcp-session-id': this.sessionId }
  }

  #openAnswer(requests: number, options: PostOptions): PostAnswer {
    const log = this.#log.open()
    const answer = createPostAnswer({
      ...options,
      requests,
      headers: this.#headers(),
      ...(this.#isResumable && {
        resuming: { log, graceMs: this.#limits.resumeMs, streamMs: this.#limits.streamMs },
      }),
      onGone: () => this.#cancelAll(answer),
      onEnd: () => this.#answers.delete(log.stream),
    })
    this.#answers.set(log.stream, answer)
    return answer
  }

  #noteVersion(version: unknown): void {
    // Versions are dates.
    if (typeof version === 'string') this.#isResumable = version >= firstResumable
  }

  #receive(message: JSONRPCMessage, answer: PostAnswer | undefined): void {
    if (answer !== undefined && isRequest(message)) {
      this.#lastId += 1
      if (message.method === 'initialize') this.#initializeId = this.#lastId
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
