import type { JsonObject } from '@rollcall/plugin'
import type { PeerAnswer } from '../peer/mcp-peer.ts'
import type { CallingSession } from './calling-session.ts'

/** Sends one of the two requests to the server, in the order in which they are handed over. */
export type SendSubscription = (
  method: 'resources/subscribe' | 'resources/unsubscribe',
  params: JsonObject,
) => Promise<PeerAnswer>

interface Subscribed {
  readonly sessions: Map<string, CallingSession>
  /** The server's answer to the one request that stands for all of them. */
  answer: Promise<PeerAnswer>
}

const maxOfSession = 100
/** An error of ours, as JSON-RPC leaves room for. */
const tooMany = -32_000

const fine: PeerAnswer = { ok: true, result: {} }

/** Who on one connection wants to hear of which resource. The server is asked once, however many there are. */
export class Subscriptions {
  readonly #byUri = new Map<string, Subscribed>()
  /** Sends in the background, when a session has ended: there is no call any more that could wait. */
  readonly #sendLater: SendSubscription

  constructor(sendLater: SendSubscription) {
    this.#sendLater = sendLater
  }

  get isEmpty(): boolean {
    return this.#byUri.size === 0
  }

  get uris(): readonly string[] {
    return [...this.#byUri.keys()]
  }

  /** Holds until it is taken back or the session is over; a subscription that the server refuses is none. */
  async add(uri: string, session: CallingSession, send: SendSubscription): Promise<PeerAnswer> {
    if (this.#countOf(session) >= maxOfSession && this.#byUri.get(uri)?.sessions.has(session.id) !== true) {
      const message = `A session may watch at most ${maxOfSession} resources of one server.`
      return { ok: false, error: { code: tooMany, message } }
    }
    const known = this.#byUri.get(uri)
    const subscribed = known ?? { sessions: new Map(), answer: send('resources/subscribe', { uri }) }
    this.#byUri.set(uri, subscribed)
    const isNew = !subscribed.sessions.has(session.id)
    subscribed.sessions.set(session.id, session)
    const answer = await subscribed.answer.catch((error: unknown) => {
      this.#forget(uri, subscribed)
      // Whoever asked for all of them may have given up; the others still want it.
      if (known === undefined) throw error
    })
    if (answer === undefined) return this.add(uri, session, send)
    if (!answer.ok) this.#forget(uri, subscribed)
    else if (isNew) this.#endWith(session, uri)
    return answer
  }

  /** The server is told only when nobody wants to hear of it any more. */
  async remove(uri: string, session: CallingSession, send: SendSubscription): Promise<PeerAnswer> {
    const subscribed = this.#byUri.get(uri)
    if (subscribed === undefined || !subscribed.sessions.delete(session.id)) return fine
    if (subscribed.sessions.size > 0) return fine
    this.#forget(uri, subscribed)
    return send('resources/unsubscribe', { uri })
  }

  /** Everybody who wants to hear of this resource; a server may also name a part of what was asked for. */
  subscribersOf(uri: string): readonly CallingSession[] {
    const found = new Map<string, CallingSession>()
    for (const [asked, { sessions }] of this.#byUri) {
      if (!isWithin(uri, asked)) continue
      for (const [id, session] of sessions) found.set(id, session)
    }
    return [...found.values()]
  }

  /** Those who asked for this very resource. */
  askersOf(uri: string): readonly CallingSession[] {
    return [...(this.#byUri.get(uri)?.sessions.values() ?? [])]
  }

  #countOf({ id }: CallingSession): number {
    let count = 0
    for (const { sessions } of this.#byUri.values()) if (sessions.has(id)) count += 1
    return count
  }

  #endWith(session: CallingSession, uri: string): void {
    const end = () => {
      // One that can not be sent is a subscription to a server that is gone.
      this.remove(uri, session, this.#sendLater).catch(() => {})
    }
    if (session.ended?.aborted === true) end()
    else session.ended?.addEventListener('abort', end, { once: true })
  }

  #forget(uri: string, subscribed: Subscribed): void {
    if (this.#byUri.get(uri) === subscribed) this.#byUri.delete(uri)
  }
}

function isWithin(uri: string, asked: string): boolean {
  return uri === asked || uri.startsWith(asked.endsWith('/') ? asked : `${asked}/`)
}
