import type { JsonObject } from '@rollcall/plugin'
import { type OnServerRequest, type PeerRequestOptions, ServerRequestError } from '../peer/mcp-peer.ts'
import { askCaller, notAskable } from './ask-caller.ts'
import { AttachedSessions } from './attached-sessions.ts'
import type { CallingSession } from './calling-session.ts'
import { mayAsk } from './capability-class.ts'
import type { LogLevels } from './log-levels.ts'
import type { Subscriptions } from './subscriptions.ts'

/** A server that asks more than this at once is not asking people. */
const maxQuestions = 64
/** Questions by address whose end a server may still tell. */
const maxAwaited = 256
const invalidRequest = -32_600

/** What a request brings along, so that what the server says about it finds its caller. */
export type RequestEars = Required<Pick<PeerRequestOptions, 'onServerRequest' | 'onNotification'>>

/** A request that has begun. */
export interface Begun {
  readonly ears: RequestEars
  /** The server sent the caller to an address: it may tell later that this is over. */
  onSentAway(elicitationId: string): void
  end(): void
}

/** A question that is being answered. */
interface Question {
  /** The request that it came with; absent: it is for the session that has the turn. */
  readonly request: Request | undefined
  readonly stop: AbortController
}

interface Request {
  readonly session: CallingSession
}

/** Finds for everything that a server says or asks the one session that it belongs to, and never guesses. */
export class Conversation {
  readonly #capabilityClass: string
  /** Whoever comes is one principal, so that one session alone can be meant also between its calls. */
  readonly #isIsolated: boolean
  readonly #levels: LogLevels
  readonly #subscriptions: Subscriptions
  readonly #attached = new AttachedSessions()
  readonly #requests = new Set<Request>()
  readonly #questions = new Set<Question>()
  /** Who was asked to go to an address, by the server's own id of it. */
  readonly #awaited = new Map<string, CallingSession>()
  #unattributed = 0

  constructor(parts: {
    readonly capabilityClass: string
    readonly isIsolated: boolean
    readonly levels: LogLevels
    readonly subscriptions: Subscriptions
  }) {
    this.#capabilityClass = parts.capabilityClass
    this.#isIsolated = parts.isIsolated
    this.#levels = parts.levels
    this.#subscriptions = parts.subscriptions
  }

  /** Log messages, updates and questions whose session could not be told. */
  get unattributed(): number {
    return this.#unattributed
  }

  /** The server was started anew: nobody of before is known to it. */
  renew(): void {
    this.#attached.clear()
    this.#awaited.clear()
  }

  /** A request of this session begins. @returns what it brings along, and how its end is told. */
  begin(session: CallingSession, onAsked: () => void): Begun {
    const detach = this.#attached.begin(session)
    const request = { session }
    this.#requests.add(request)
    return {
      ears: {
        onServerRequest: (method, params, signal) => {
          onAsked()
          return this.#ask(session, request, method, params, signal)
        },
        onNotification: (method, params) => {
          if (method !== 'notifications/message') this.hear(method, params)
          else if (this.#levels.isFor(session, params.level)) tell(session, method, params)
        },
      },
      onSentAway: (elicitationId) => this.#await(elicitationId, session),
      end: () => {
        this.#requests.delete(request)
        this.#stopQuestions(request)
        detach()
      },
    }
  }

  /** Answers a question that came with no request: it is for the session that has the turn. */
  readonly answer: OnServerRequest = async (method, params, signal) => {
    if (!mayAsk(this.#capabilityClass, method, params)) throw notAskable(method)
    const session = this.#asked()
    if (session !== undefined) return this.#ask(session, undefined, method, params, signal)
    this.#unattributed += 1
    throw new ServerRequestError(invalidRequest, 'AMBIGUOUS_ORIGIN: it can not be told which session this is for.')
  }

  /** Hands on what the server says and belongs to no request. */
  hear(method: string, params: JsonObject): void {
    if (method === 'notifications/message') this.#log(params)
    else if (method === 'notifications/resources/updated') this.#update(params)
    else if (method === 'notifications/elicitation/complete') this.#complete(params)
  }

  async #ask(
    session: CallingSession,
    request: Request | undefined,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    if (!mayAsk(this.#capabilityClass, method, params)) throw notAskable(method)
    if (this.#questions.size >= maxQuestions) {
      throw new ServerRequestError(invalidRequest, `${maxQuestions} questions are open already.`)
    }
    if (typeof params.elicitationId === 'string') this.#await(params.elicitationId, session)
    const question = { request, stop: new AbortController() }
    this.#questions.add(question)
    const ends = [signal, question.stop.signal, ...(session.ended === undefined ? [] : [session.ended])]
    try {
      return await askCaller(session.caller, method, params, AbortSignal.any(ends))
    } finally {
      this.#questions.delete(question)
    }
  }

  /** The session that has the turn; between its requests, the only one that it could be. */
  #asked(): CallingSession | undefined {
    const [first, ...others] = this.#requests
    if (first === undefined) return this.#isIsolated ? this.#attached.only() : undefined
    // By the order of turns all are of one session; if they weren't, nobody could be meant.
    return others.every(({ session }) => session.id === first.session.id) ? first.session : undefined
  }

  /** Nobody waits for what a request that is over wanted to know. */
  #stopQuestions(over: Request): void {
    const isTurnOver = this.#requests.size === 0
    for (const { request, stop } of this.#questions) {
      if (request === over || (request === undefined && isTurnOver)) stop.abort()
    }
  }

  #log(params: JsonObject): void {
    const listener = this.#attached.listener(this.#levels)
    if (listener === 'unclear') this.#unattributed += 1
    else if (listener !== 'nobody' && this.#levels.isFor(listener, params.level)) {
      tell(listener, 'notifications/message', params)
    }
  }

  #update(params: JsonObject): void {
    const subscribers = typeof params.uri === 'string' ? this.#subscriptions.subscribersOf(params.uri) : []
    if (subscribers.length === 0) this.#unattributed += 1
    for (const session of subscribers) tell(session, 'notifications/resources/updated', params)
  }

  #complete(params: JsonObject): void {
    const { elicitationId } = params
    const session = typeof elicitationId === 'string' ? this.#awaited.get(elicitationId) : undefined
    if (session === undefined || typeof elicitationId !== 'string') {
      this.#unattributed += 1
      return
    }
    this.#awaited.delete(elicitationId)
    tell(session, 'notifications/elicitation/complete', params)
  }

  #await(elicitationId: string, session: CallingSession): void {
    const asked = this.#awaited.get(elicitationId)
    // The same id for somebody else: neither may hear of the other's.
    if (asked !== undefined && asked.id !== session.id) this.#awaited.delete(elicitationId)
    else this.#awaited.set(elicitationId, session)
    const [oldest] = this.#awaited.keys()
    if (this.#awaited.size > maxAwaited && oldest !== undefined) this.#awaited.delete(oldest)
  }
}

/** A session that is over, or does not listen, is told nothing. */
export function tell({ caller, ended }: CallingSession, method: string, params: JsonObject): void {
  if (ended?.aborted !== true) caller?.notify?.(method, params)
}
