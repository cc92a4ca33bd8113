import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { subscriptionIdKey, withoutMeta } from './envelope.ts'
import { toWireMethod } from './raw-method.ts'
import type { StatelessHooks, StatelessWire } from './stateless-wire.ts'

/** What is heard about one request while it is open. */
export interface RequestEars {
  readonly onProgress: (progress: JsonObject) => void
  readonly onNotification?: (method: string, params: JsonObject) => void
}

/** Stands between a wire and the SDK's client, and gives whatever a server says to the request that it belongs to. */
export class StatelessTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  readonly wire: StatelessWire
  readonly hasPerRequestStream: boolean
  /** Hears what belongs to no request. */
  onNotification: (method: string, params: JsonObject) => void = () => {}
  readonly #name: string
  readonly #verdicts = new Map<Json, RollcallError>()
  readonly #cancelled = new Set<Json>()
  readonly #open = new Set<Json>()
  /** By progress token. */
  readonly #ears = new Map<Json, RequestEars>()
  readonly #tokens = new Map<Json, Json>()
  readonly #asked = new Map<Json, PromiseWithResolvers<JsonObject>>()
  readonly #onClosed = new Set<(reason: RollcallError) => void>()
  #isStarted = false
  #closedBy: RollcallError | undefined
  #lastRequestId: Json = null
  #lastToken = 0

  constructor(
    name: string,
    options: { readonly hasPerRequestStream: boolean; createWire(hooks: StatelessHooks): StatelessWire },
  ) {
    this.#name = name
    this.hasPerRequestStream = options.hasPerRequestStream
    this.wire = options.createWire({
      onMessage: (message, requestId) => this.#deliver(message, requestId),
      onClosed: (reason) => this.#end(reason),
      onLost: (id, reason) => this.#condemn(id, reason),
    })
  }

  /** Why the connection is over. */
  get closedBy(): RollcallError | undefined {
    return this.#closedBy
  }

  /** The id that the SDK gave to the request it has just sent. */
  get lastRequestId(): Json {
    return this.#lastRequestId
  }

  /** The SDK starts it again when it takes over. */
  async start(): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.wire.start()
  }

  /** Called once, when the connection is over; at once, if it is. @returns the undo. */
  onClosed(listener: (reason: RollcallError) => void): () => void {
    if (this.#closedBy !== undefined) listener(this.#closedBy)
    this.#onClosed.add(listener)
    return () => this.#onClosed.delete(listener)
  }

  /**
   * Asks without the SDK. @returns the whole answer, a result or an error.
   *
   * @throws {RollcallError} why none will come.
   */
  async ask(id: string, method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#closedBy !== undefined) throw this.#closedBy
    const asked = Promise.withResolvers<JsonObject>()
    this.#asked.set(id, asked)
    this.wire.send({ jsonrpc: '2.0', id, method, params }).catch(asked.reject)
    return asked.promise.finally(() => this.#asked.delete(id))
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    // The SDK's message types are plain JSON without saying so.
    const plain = message as unknown as JsonObject
    const { requestSignal, headers, onRequestStreamEnd } = options
    if ('method' in message && 'id' in message) {
      this.#lastRequestId = message.id
      this.#open.add(message.id)
      requestSignal?.addEventListener('abort', () => this.#open.delete(message.id), { once: true })
    } else if (isCancelOf(plain, this.#cancelled)) {
      return
    }
    await this.wire.send(toWireMethod(plain), {
      ...(requestSignal !== undefined && { signal: requestSignal }),
      ...(headers !== undefined && { headers }),
      ...(onRequestStreamEnd !== undefined && { onStreamEnd: onRequestStreamEnd }),
    })
  }

  /** @returns the progress token with which a request is to be sent, so that these ears hear of it. */
  listen(ears: RequestEars): string {
    this.#lastToken += 1
    const token = `rollcall:${this.#lastToken}`
    this.#ears.set(token, ears)
    return token
  }

  /** The request with this id was sent with this token. */
  name(id: Json, token: Json): void {
    this.#tokens.set(id, token)
  }

  /** The SDK's own notice that this request is cancelled is dropped from now on. */
  silenceCancel(id: Json): void {
    this.#cancelled.add(id)
  }

  /** The reason of ours for which this request failed. */
  verdictOn(id: Json): RollcallError | undefined {
    return this.#verdicts.get(id)
  }

  /** Forgets a request that is over. */
  settle(id: Json, token: Json): void {
    this.#cancelled.delete(id)
    this.#verdicts.delete(id)
    this.#open.delete(id)
    this.#tokens.delete(id)
    this.#ears.delete(token)
  }

  close(): Promise<void> {
    return this.wire.close()
  }

  #deliver(message: JsonObject, requestId?: Json): void {
    const { id, method } = message
    if (typeof method === 'string') {
      // In this revision a server sends no requests; whatever it sends as one is not answered.
      if (id === undefined) this.#hear(method, isJsonObject(message.params) ? message.params : {}, requestId)
      return
    }
    if (id === undefined) return
    this.#asked.get(id)?.resolve(message)
    if (this.#open.has(id)) {
      if (message.error === undefined && !isJsonObject(message.result)) this.#condemn(id, noResult(this.#name))
      else this.#answer(id, message)
    }
  }

  #hear(method: string, params: JsonObject, requestId: Json | undefined): void {
    if (method === 'notifications/progress') {
      this.#ears.get(params.progressToken ?? null)?.onProgress(params)
    } else if (method === 'notifications/subscriptions/acknowledged' || method === 'notifications/cancelled') {
      this.#hand({ jsonrpc: '2.0', method, params })
    } else {
      const token = requestId === undefined ? undefined : this.#tokens.get(requestId)
      const ears = token === undefined ? undefined : this.#ears.get(token)
      const shown = withoutMeta(params, subscriptionIdKey)
      if (ears?.onNotification !== undefined) ears.onNotification(method, shown)
      else this.onNotification(method, shown)
    }
  }

  #answer(id: Json, { result, error }: JsonObject): void {
    // The first answer counts; whatever follows under this id is ignored.
    this.#open.delete(id)
    // A result that does not say what it is, is a whole one; the SDK would not take it.
    if (error === undefined && isJsonObject(result)) {
      this.#hand({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
    } else this.#hand({ jsonrpc: '2.0', id, error: readError(error) })
  }

  #condemn(id: Json, reason: RollcallError): void {
    this.#asked.get(id)?.reject(reason)
    if (!this.#open.delete(id)) return
    this.#verdicts.set(id, reason)
    this.#hand({ jsonrpc: '2.0', id, error: { code: -32_603, message: reason.message } })
  }

  #hand(message: JsonObject): void {
    // The one place where our JSON becomes the SDK's message type; it checks the shape itself.
    this.onmessage?.(message as unknown as JSONRPCMessage)
  }

  #end(reason: RollcallError): void {
    if (this.#closedBy !== undefined) return
    this.#closedBy = reason
    for (const { reject } of this.#asked.values()) reject(reason)
    for (const listener of this.#onClosed) listener(reason)
    queueMicrotask(() => this.onclose?.())
  }
}

function readError(error: Json | undefined): JsonObject {
  const { code, message, data } = isJsonObject(error) ? error : {}
  return {
    code: typeof code === 'number' && Number.isInteger(code) ? code : -32_603,
    message: typeof message === 'string' ? message : 'The server answered with an error that has no message.',
    ...(data !== undefined && { data }),
  }
}

function isCancelOf({ method, params }: JsonObject, ids: ReadonlySet<Json>): boolean {
  if (method !== 'notifications/cancelled' || !isJsonObject(params)) return false
  return params.requestId !== undefined && ids.has(params.requestId)
}

function noResult(name: string): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${name} answered with a result that is no object.`, {
    hint: 'Update the server, or report it to its author.',
    data: { sent: true },
  })
}
