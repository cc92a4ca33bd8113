import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { Wire, WireHooks } from '../transports/wire.ts'

/** Where a wire reports, besides its messages, that one request can not be answered any more. */
export interface SdkHooks extends WireHooks {
  onLost(id: Json, reason: RollcallError): void
}

/**
 * Stands between a wire and the SDK's client. The SDK ignores an answer that its schemas don't like, and the request
 * would wait until its time is over: here such an answer becomes a verdict that fails the request at once.
 */
export class SdkTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  readonly wire: Wire
  readonly #name: string
  readonly #verdicts = new Map<Json, RollcallError>()
  readonly #cancelled = new Set<Json>()
  readonly #open = new Set<Json>()
  #closedBy: RollcallError | undefined
  #lastRequestId: Json = null
  #protocolVersion = ''

  constructor(name: string, createWire: (hooks: SdkHooks) => Wire) {
    this.#name = name
    this.wire = createWire({
      onMessage: (message) => this.#deliver(message),
      onClosed: (reason) => this.#end(reason),
      onLost: (id, reason) => this.#condemn(id, reason),
    })
  }

  /** Why the connection is over. */
  get closedBy(): RollcallError | undefined {
    return this.#closedBy
  }

  get protocolVersion(): string {
    return this.#protocolVersion
  }

  /** The id that the SDK gave to the request it has just sent. */
  get lastRequestId(): Json {
    return this.#lastRequestId
  }

  /** The reason of ours for which this request failed. */
  takeVerdict(id: Json): RollcallError | undefined {
    const verdict = this.#verdicts.get(id)
    this.#verdicts.delete(id)
    return verdict
  }

  start(): Promise<void> {
    return this.wire.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // The SDK's message types are plain JSON without saying so.
    const plain = message as unknown as JsonObject
    if ('method' in message && 'id' in message) {
      this.#lastRequestId = message.id
      this.#open.add(message.id)
    } else if (isCancelOf(plain, this.#cancelled)) {
      return
    }
    await this.wire.send(plain)
  }

  /** Tells the server that nobody waits for this answer; the SDK's own notice of it is dropped later. */
  cancel(id: Json, reason: string): void {
    const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } }
    // A connection that is gone needs no notice.
    this.wire.send(notice).catch(() => {})
    this.#cancelled.add(id)
  }

  /** Forgets a request that is over. */
  settle(id: Json): void {
    this.#cancelled.delete(id)
    this.#verdicts.delete(id)
    this.#open.delete(id)
  }

  close(): Promise<void> {
    return this.wire.close()
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version
    this.wire.setProtocolVersion?.(version)
  }

  #deliver(message: JsonObject): void {
    const { id, method } = message
    if (typeof method === 'string') {
      const known = pick(message, ['id', 'method', 'params'])
      // The SDK would leave it unanswered, and the server would wait for ever.
      if (id === undefined || JSONRPCRequestSchema.safeParse(known).success) this.#hand(known)
      else this.#refuse(id)
    } else if (id !== undefined && this.#open.has(id)) {
      const isReadable = message.error !== undefined || ResultSchema.safeParse(message.result).success
      if (!isReadable) {
        this.#condemn(id, noResult(this.#name))
        return
      }
      // The first answer counts; whatever follows under this id is ignored.
      this.#open.delete(id)
      this.#hand(message.error === undefined ? pick(message, ['id', 'result']) : errorAnswer(id, message.error))
    }
  }

  #refuse(id: Json): void {
    const error = { code: -32_600, message: 'That is no request of JSON-RPC 2.0.' }
    const known = typeof id === 'string' || typeof id === 'number' ? id : null
    // A connection that is gone needs no answer.
    this.wire.send({ jsonrpc: '2.0', id: known, error }).catch(() => {})
  }

  #condemn(id: Json, reason: RollcallError): void {
    if (!this.#open.delete(id)) return
    this.#verdicts.set(id, reason)
    this.#hand({ jsonrpc: '2.0', id, error: { code: -32_603, message: reason.message } })
  }

  #hand(message: JsonObject): void {
    // The SDK handles a notification a moment later than an answer, and progress that came right before its answer
    // would be lost: so answers wait for that moment too.
    if (message.method === undefined) queueMicrotask(() => this.#handNow(message))
    else this.#handNow(message)
  }

  #handNow(message: JsonObject): void {
    // The one place where our JSON becomes the SDK's message type; it checks the shape itself.
    this.onmessage?.(message as unknown as JSONRPCMessage)
  }

  #end(reason: RollcallError): void {
    this.#closedBy ??= reason
    queueMicrotask(() => this.onclose?.())
  }
}

/** The SDK refuses messages with members that the protocol does not know. */
function pick(message: JsonObject, keys: readonly string[]): JsonObject {
  const known = keys.flatMap((key) => (message[key] === undefined ? [] : [[key, message[key]] as const]))
  return { jsonrpc: '2.0', ...Object.fromEntries(known) }
}

function errorAnswer(id: Json, error: Json): JsonObject {
  const { code, message, data } = isJsonObject(error) ? error : {}
  const known = {
    code: typeof code === 'number' && Number.isInteger(code) ? code : -32_603,
    message: typeof message === 'string' ? message : 'The server answered with an error that has no message.',
    ...(data !== undefined && { data }),
  }
  return { jsonrpc: '2.0', id, error: known }
}

function isCancelOf(message: JsonObject, ids: ReadonlySet<Json>): boolean {
  if (message.method !== 'notifications/cancelled' || !isJsonObject(message.params)) return false
  return message.params.requestId !== undefined && ids.has(message.params.requestId)
}

function noResult(name: string): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${name} answered with a result that is no object.`, {
    hint: 'Update the server, or report it to its author.',
    data: { sent: true },
  })
}
