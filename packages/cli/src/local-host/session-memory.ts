type Id = string | number
interface Message {
  readonly id?: Id
  readonly method?: string
  readonly params?: { readonly uri?: unknown; readonly requestId?: Id }
}

/** What a client asked for and is not answered yet. */
interface Open {
  readonly id: Id
  readonly method: string
  readonly line: string
}

const ownIds = 'rollcall-bridge-'
/** Every host counts its questions from the beginning: to the client each has a number of its own. */
const askedIds = 'rollcall-asked-'

/**
 * What a bridge remembers of its client's conversation, so that it can be taken up with a new host: how it began, what it
 * wants to hear of, and what is not answered.
 */
export class SessionMemory {
  readonly #open = new Map<Id, Open>()
  readonly #subscribed = new Map<string, string>()
  /** What the host asked the client and has no answer to, by the id that the client knows. */
  readonly #asked = new Map<string, Id>()
  #initialize: string | undefined
  #initialized: string | undefined
  #level: string | undefined
  #lastOwnId = 0
  #lastAskedId = 0

  /** A line of the client. @returns the line for the host; nothing where it answers a host that is gone. */
  sent(line: string): string | undefined {
    const message = parsed(line)
    const { id, method, params } = message
    if (method === undefined) return this.#answered(message, line)
    // What was cancelled gets no answer, and is not asked again.
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) this.#open.delete(params.requestId)
    if (id !== undefined) this.#open.set(id, { id, method, line })
    const uri = String(params?.uri)
    if (method === 'initialize') this.#initialize = line
    else if (method === 'notifications/initialized') this.#initialized = line
    else if (method === 'logging/setLevel') this.#level = line
    else if (method === 'resources/subscribe') this.#subscribed.set(uri, line)
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(uri)
    return line
  }

  /** A line of the host. @returns the line for the client; nothing where it answers a question of ours. */
  received(line: string): string | undefined {
    const message = parsed(line)
    const { id, method } = message
    if (method !== undefined) return id === undefined ? this.#told(message, line) : this.#ask(message, id)
    if (id === undefined) return line
    this.#open.delete(id)
    return String(id).startsWith(ownIds) ? undefined : line
  }

  /**
   * The conversation is cut. @returns what the client is told at once: a call that may have run is not repeated, everything
   * else is asked again.
   */
  cut(): readonly string[] {
    const calls = [...this.#open.values()].filter(({ method }) => method === 'tools/call')
    for (const { id } of calls) this.#open.delete(id)
    const questions = [...this.#asked.keys()]
    this.#asked.clear()
    const taken = questions.map((requestId) => cancelled({ requestId, reason: 'Rollcall was restarted.' }))
    const lost = calls.map(({ id }) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        error: {
          code: -32_000,
          message: 'Rollcall was restarted during this call; whether it happened is not known.',
          data: { code: 'TOOL_OUTCOME_UNKNOWN', hint: 'Look at the target before you repeat it.' },
        },
      }),
    )
    return [...taken, ...lost]
  }

  /** What a new host must hear so that it knows as much as the one before. */
  replay(): readonly string[] {
    const isNew = this.#initialize === undefined || this.#isOpen('initialize')
    const before = isNew ? [] : [this.#own(this.#initialize), this.#initialized, this.#own(this.#level)]
    const wishes = isNew ? [] : [...this.#subscribed.values()].map((line) => this.#own(line))
    return [...before, ...wishes, ...[...this.#open.values()].map(({ line }) => line)].filter(
      (line) => line !== undefined,
    )
  }

  /** What the client should look at again: nobody knows what changed meanwhile. */
  changes(): readonly string[] {
    if (this.#initialized === undefined) return []
    return ['tools', 'prompts', 'resources'].map((list) =>
      JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }),
    )
  }

  #ask(message: Message, id: Id): string {
    this.#lastAskedId += 1
    const known = `${askedIds}${this.#lastAskedId}`
    this.#asked.set(known, id)
    return JSON.stringify({ ...message, id: known })
  }

  #answered(message: Message, line: string): string | undefined {
    const { id } = message
    if (typeof id !== 'string' || !id.startsWith(askedIds)) return line
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    return asked === undefined ? undefined : JSON.stringify({ ...message, id: asked })
  }

  /** The host may take a question back. */
  #told({ method, params }: Message, line: string): string {
    if (method !== 'notifications/cancelled') return line
    const known = [...this.#asked].find(([, id]) => id === params?.requestId)?.[0]
    if (known === undefined) return line
    this.#asked.delete(known)
    return cancelled({ ...params, requestId: known })
  }

  #isOpen(method: string): boolean {
    return [...this.#open.values()].some((open) => open.method === method)
  }

  /** The same request under an id of ours: its answer is for nobody. */
  #own(line: string | undefined): string | undefined {
    if (line === undefined) return undefined
    this.#lastOwnId += 1
    return JSON.stringify({ ...parsed(line), id: `${ownIds}${this.#lastOwnId}` })
  }
}

function cancelled(params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
}

function parsed(line: string): Message {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Message) : {}
  } catch {
    return {}
  }
}
