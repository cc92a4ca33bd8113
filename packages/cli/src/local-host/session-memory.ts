type Id = string | number
interface Message {
  readonly id?: Id
  readonly method?: string
  readonly params?: { readonly uri?: unknown }
}

/** What a client asked for and is not answered yet. */
interface Open {
  readonly id: Id
  readonly method: string
  readonly line: string
}

const ownIds = 'rollcall-bridge-'

/**
 * What a bridge remembers of its client's conversation, so that it can be taken up with a new host: how it began, what it
 * wants to hear of, and what is not answered.
 */
export class SessionMemory {
  readonly #open = new Map<Id, Open>()
  readonly #subscribed = new Map<string, string>()
  #initialize: string | undefined
  #initialized: string | undefined
  #level: string | undefined
  #lastOwnId = 0

  /** A line of the client. */
  sent(line: string): void {
    const { id, method, params } = parsed(line)
    if (method === undefined) return
    if (id !== undefined) this.#open.set(id, { id, method, line })
    const uri = String(params?.uri)
    if (method === 'initialize') this.#initialize = line
    else if (method === 'notifications/initialized') this.#initialized = line
    else if (method === 'logging/setLevel') this.#level = line
    else if (method === 'resources/subscribe') this.#subscribed.set(uri, line)
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(uri)
  }

  /** A line of the host. @returns whether it is meant for the client. */
  received(line: string): boolean {
    const { id, method } = parsed(line)
    if (method !== undefined || id === undefined) return true
    this.#open.delete(id)
    return !String(id).startsWith(ownIds)
  }

  /**
   * The conversation is cut. @returns what the client is told at once: a call that may have run is not repeated, everything
   * else is asked again.
   */
  cut(): readonly string[] {
    const calls = [...this.#open.values()].filter(({ method }) => method === 'tools/call')
    for (const { id } of calls) this.#open.delete(id)
    return calls.map(({ id }) =>
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

function parsed(line: string): Message {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Message) : {}
  } catch {
    return {}
  }
}
