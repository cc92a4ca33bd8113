import { type Client, type McpSubscription, ProtocolError, type SubscriptionFilter } from '@modelcontextprotocol/client'
import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { PeerAnswer } from '../peer/mcp-peer.ts'

const acknowledgeMs = 10_000
const comeBackMs = { first: 500, last: 30_000 }
const notListened = -32_603
const methodNotFound = -32_601

const lists = [
  ['tools', 'toolsListChanged', 'notifications/tools/list_changed'],
  ['prompts', 'promptsListChanged', 'notifications/prompts/list_changed'],
  ['resources', 'resourcesListChanged', 'notifications/resources/list_changed'],
] as const

/**
 * What a server is asked to tell out of turn, in one `subscriptions/listen` at a time. When that ends by itself, it is
 * taken up again, and everything that may have been missed is told as changed.
 */
export class Listening {
  readonly #client: Client
  readonly #capabilities: JsonObject
  readonly #tell: (method: string, params: JsonObject) => void
  readonly #uris = new Set<string>()
  #wantsLists = false
  #current: McpSubscription | undefined
  #turn: Promise<PeerAnswer> = Promise.resolve({ ok: true, result: {} })
  #next: Promise<PeerAnswer> | undefined
  #comeBackTimer: NodeJS.Timeout | undefined
  #losses = 0
  #isClosed = false

  constructor(
    client: Client,
    options: {
      readonly capabilities: JsonObject
      /** Hears of what may have been missed. */
      readonly tell: (method: string, params: JsonObject) => void
    },
  ) {
    this.#client = client
    this.#capabilities = options.capabilities
    this.#tell = options.tell
  }

  /** Hears of changed lists from now on. */
  hearLists(): void {
    if (this.#wantsLists) return
    this.#wantsLists = true
    if (Object.keys(this.#filter()).length > 0) void this.#renew().then((answer) => this.#retry(answer))
  }

  /** Hears of this resource from now on; refused where the server does not agree. */
  async subscribe(uri: string): Promise<PeerAnswer> {
    this.#uris.add(uri)
    const answer = await this.#renew()
    if (answer.ok && this.#current?.honoredFilter.resourceSubscriptions?.includes(uri) === true) return answer
    this.#uris.delete(uri)
    if (!answer.ok) return answer
    return { ok: false, error: { code: notListened, message: 'The server does not tell when this resource changes.' } }
  }

  async unsubscribe(uri: string): Promise<PeerAnswer> {
    if (this.#uris.delete(uri)) await this.#renew()
    return { ok: true, result: {} }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#comeBackTimer)
    // Its end needs nobody's consent.
    void this.#current?.close().catch(() => {})
  }

  /** Listens with what is wanted by then. Changes that come meanwhile share the next turn. */
  #renew(): Promise<PeerAnswer> {
    this.#next ??= this.#turn.then(() => {
      this.#next = undefined
      this.#turn = this.#listen()
      return this.#turn
    })
    return this.#next
  }

  /** Never rejects. The old one is kept until the new one is heard. */
  async #listen(): Promise<PeerAnswer> {
    const filter = this.#filter()
    const old = this.#current
    try {
      if (this.#isClosed) return refused('The connection was closed.')
      this.#current =
        Object.keys(filter).length === 0 ? undefined : await this.#client.listen(filter, { timeout: acknowledgeMs })
    } catch (error) {
      return error instanceof ProtocolError ? answerOf(error) : refused('The server did not agree to tell of changes.')
    }
    clearTimeout(this.#comeBackTimer)
    if (this.#current !== undefined) this.#watch(this.#current)
    // What it ends is over anyway.
    if (old !== undefined) await old.close().catch(() => {})
    // Meanwhile nobody wanted it any more.
    if (this.#isClosed) this.close()
    return { ok: true, result: {} }
  }

  #watch(subscription: McpSubscription): void {
    void subscription.closed.then((by) => {
      if (by === 'local' || this.#current !== subscription) return
      this.#current = undefined
      this.#comeBack()
    })
  }

  /** A server that does not know how to tell is not asked for ever. */
  #retry(answer: PeerAnswer): void {
    if (!answer.ok && answer.error.code !== methodNotFound) this.#comeBack()
  }

  #comeBack(): void {
    if (this.#isClosed) return
    const waitMs = Math.min(comeBackMs.last, comeBackMs.first * 2 ** this.#losses)
    this.#losses += 1
    clearTimeout(this.#comeBackTimer)
    this.#comeBackTimer = setTimeout(async () => {
      const answer = await this.#renew()
      if (!answer.ok) return this.#retry(answer)
      this.#losses = 0
      this.#tellMissed()
    }, waitMs)
    this.#comeBackTimer.unref()
  }

  #tellMissed(): void {
    const honoured = this.#current?.honoredFilter ?? {}
    for (const [, key, method] of lists) if (honoured[key] === true) this.#tell(method, {})
    for (const uri of this.#uris) this.#tell('notifications/resources/updated', { uri })
  }

  #filter(): SubscriptionFilter {
    const offered = lists.filter(([name]) => {
      const capability = this.#capabilities[name]
      return this.#wantsLists && isJsonObject(capability) && capability.listChanged === true
    })
    return {
      ...Object.fromEntries(offered.map(([, key]) => [key, true])),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    }
  }
}

function answerOf({ code, message, data }: ProtocolError): PeerAnswer {
  // Parsed from JSON by the SDK, so it is JSON again.
  return { ok: false, error: { code, message, ...(data !== undefined && { data: data as Json }) } }
}

function refused(message: string): PeerAnswer {
  return { ok: false, error: { code: notListened, message } }
}
