import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type EventStream, eventStreamHeaders, openEventStream } from './event-stream.ts'

/** The answer to one POST, while its requests are worked on. */
export interface PostAnswer {
  /** Never rejects. */
  readonly response: Promise<Response>
  /** Sends what belongs to a request and is not its response. */
  tell(message: JSONRPCMessage): void
  /** Gives the response of one request, or `undefined` where it gets none. The last one ends the answer. */
  settle(message: JSONRPCMessage | undefined): void
  /** Ends the answer with what has come so far. */
  end(): void
}

// A client should learn soon that it was heard: its own limit on silence may be short.
const patienceMs = 2000

/**
 * Answers a POST with JSON where its responses are all there is to say and come soon, else with an event stream.
 *
 * @param options.requests how many responses are awaited
 * @param options.isBatch whether the JSON answer is an array
 * @param options.signal aborts when the client has gone
 * @param options.onGone called once if the client leaves before the answer has ended
 * @param options.onEnd called once in any case
 */
export function createPostAnswer(options: {
  readonly requests: number
  readonly isBatch: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onGone: () => void
  readonly onEnd: () => void
}): PostAnswer {
  const { isBatch, headers, signal, onEnd } = options
  const { promise: response, resolve } = Promise.withResolvers<Response>()
  const collected: JSONRPCMessage[] = []
  let awaited = options.requests
  let stream: EventStream | undefined
  let hasEnded = false

  const gone = () => {
    if (finish()) options.onGone()
  }
  const patience = setTimeout(openStream, patienceMs).unref()
  signal.addEventListener('abort', gone, { once: true })
  // Not before the caller holds the answer that it is told about.
  if (signal.aborted) queueMicrotask(gone)

  function openStream(): EventStream {
    if (stream !== undefined) return stream
    clearTimeout(patience)
    stream = openEventStream(gone)
    resolve(new Response(stream.body, { headers: { ...headers, ...eventStreamHeaders } }))
    for (const message of collected.splice(0)) stream.write(message)
    return stream
  }

  function finish(): boolean {
    if (hasEnded) return false
    hasEnded = true
    clearTimeout(patience)
    signal.removeEventListener('abort', gone)
    if (stream === undefined && collected.length > 0) resolve(jsonResponse(isBatch ? collected : collected[0], headers))
    else openStream().close()
    onEnd()
    return true
  }

  return {
    response,
    tell(message) {
      if (!hasEnded) openStream().write(message)
    },
    settle(message) {
      if (hasEnded) return
      awaited -= 1
      if (message !== undefined && stream === undefined) collected.push(message)
      else if (message !== undefined) stream?.write(message)
      if (awaited <= 0) finish()
    },
    end: () => void finish(),
  }
}

function jsonResponse(body: unknown, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), {
    headers: { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}
