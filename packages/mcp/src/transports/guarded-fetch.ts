import type { OutboundFetch } from '@rollcall/host'
import { isRollcallError, type Json, type RollcallError } from '@rollcall/plugin'
import type { ResolvedHttp } from '../declaration/resolved-server.ts'
import { isJsonObject } from '../is-json-object.ts'
import { EventMeter } from './event-meter.ts'
import { cutOff, noAnswer, notTheProtocol, tooMuch } from './http-fault.ts'
import { createServerFetch, mediaTypeOf, type ServerFetch } from './server-fetch.ts'
import { watchBody } from './watch-body.ts'

export interface GuardedFetchOptions {
  readonly fetch: OutboundFetch
  /** The longest answer, and the longest single event of a stream. */
  readonly maxBytes: number
  /** All that may answer this request has ended. */
  onEnded(id: Json, reason: RollcallError): void
}

/** How an SDK's transport reaches one server. */
export interface GuardedFetch extends ServerFetch {
  /** The request was answered. */
  settle(id: Json): void
  /** Nobody waits for its answer any more: what still carries it is ended. */
  abandon(id: Json): void
}

/** For so long an answered request's stream may stay open. */
const lingerMs = 500
/** Belongs to no request: the stream in which the server speaks by itself. */
const standalone: Json = null
/** The SDK takes this for a server that offers no such stream, and asks no more. */
const noStream = () => new Response(null, { status: 405 })

/**
 * A fetch for streamable HTTP that knows which request an answer belongs to. A stream that ends is resumed if its events
 * had ids; one that can not be resumed, and an answer to something else, end the request at once.
 */
export function createGuardedFetch(server: ResolvedHttp, options: GuardedFetchOptions): GuardedFetch {
  const { maxBytes } = options
  const ask = createServerFetch(server, options.fetch)
  const waiting = new Map<Json, AbortController>()
  /** Whose stream ended at this event. */
  const resumable = new Map<string, Json>()

  const end = (id: Json, reason: RollcallError) => {
    waiting.delete(id)
    if (id !== standalone) options.onEnded(id, reason)
  }

  /** A stream is over. */
  const stop = (lastId: string | undefined, id: Json) => {
    const reason = cutOff(server)
    if (lastId !== undefined && (id === standalone || waiting.has(id))) resumable.set(lastId, id)
    else end(id, reason)
    return reason
  }

  const watchEvents = (response: Response, id: Json) => {
    const meter = new EventMeter()
    return watchBody(response, {
      onChunk(chunk) {
        meter.feed(chunk)
        if (meter.bytes > maxBytes) throw tooMuch(server, maxBytes)
      },
      onDone: () => stop(meter.lastId, id),
      onBroken(error) {
        if (!isRollcallError(error)) return stop(meter.lastId, id)
        end(id, error)
        return error
      },
    })
  }

  const watchText = (response: Response, id: Json) => {
    let bytes = 0
    return watchBody(response, {
      onChunk(chunk) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) throw tooMuch(server, maxBytes)
      },
      onDone: () => end(id, noAnswer(server)),
      onBroken(error) {
        waiting.delete(id)
        return isRollcallError(error) ? error : cutOff(server)
      },
    })
  }

  const post = async (input: string | URL, init: RequestInit) => {
    const id = requestIdOf(init.body)
    if (id === undefined) return ask(input, init)
    const controller = new AbortController()
    waiting.set(id, controller)
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, controller.signal]) : controller.signal
      const response = await ask(input, { ...init, signal })
      const type = mediaTypeOf(response)
      if (response.status === 200 && type === 'text/event-stream') return watchEvents(response, id)
      if (response.status === 200 && type === 'application/json') return watchText(response, id)
      await response.body?.cancel()
      throw notTheProtocol(server, type)
    } catch (error) {
      waiting.delete(id)
      throw error
    }
  }

  const listen = async (input: string | URL, init: RequestInit) => {
    const from = new Headers(init.headers).get('last-event-id')
    const id = from === null ? standalone : resumable.get(from)
    if (from !== null) resumable.delete(from)
    // Whoever it was for has left.
    if (id === undefined) return noStream()
    const signals = [init.signal, waiting.get(id)?.signal].filter((signal) => signal != null)
    try {
      const response = await ask(input, { ...init, signal: AbortSignal.any(signals) })
      if (response.status === 200 && mediaTypeOf(response) === 'text/event-stream') return watchEvents(response, id)
      await response.body?.cancel()
    } catch (error) {
      // It is asked for again, and once more.
      if (id === standalone && !isRefusal(error)) throw error
    }
    end(id, cutOff(server))
    return noStream()
  }

  const settle = (id: Json) => {
    const carrier = waiting.get(id)
    waiting.delete(id)
    // Most servers end the stream right after the answer; one that does not would hold a connection for every call.
    if (carrier !== undefined) setTimeout(() => carrier.abort(), lingerMs).unref()
    for (const [event, of] of resumable) if (of === id) resumable.delete(event)
  }

  const fetch: ServerFetch = (input, init = {}) => {
    if (init.method === 'POST') return post(input, init)
    return init.method === 'DELETE' ? ask(input, init) : listen(input, init)
  }

  return Object.assign(fetch, {
    settle,
    abandon(id: Json) {
      waiting.get(id)?.abort()
      settle(id)
    },
  })
}

function isRefusal(error: unknown): boolean {
  return isRollcallError(error) && error.data?.status !== undefined
}

function requestIdOf(body: RequestInit['body']): Json | undefined {
  if (typeof body !== 'string') return undefined
  const message: Json = JSON.parse(body)
  return isJsonObject(message) && message.method !== undefined ? message.id : undefined
}
