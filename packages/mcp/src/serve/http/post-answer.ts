import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { LoggedEvent, StreamLog } from './event-log.ts'
import { type EventStream, eventStreamHeaders, openEventStream } from './event-stream.ts'

/** The answer to one POST, while its requests are worked on. */
export interface PostAnswer {
  /** Never rejects. */
  readonly response: Promise<Response>
  /** Sends what belongs to a request and is not its response. */
  tell(message: JSONRPCMessage): void
  /** Gives the response of one request, or `undefined` where it gets none. The last one ends the answer. */
  settle(message: JSONRPCMessage | undefined): void
  /** Goes on over another stream, with what the client has missed. */
  resume(missed: readonly LoggedEvent[]): Response
  /** Ends the answer with what has come so far. */
  end(): void
}

/** How a client may come back to an answer whose stream broke off. Times in milliseconds. */
export interface Resuming {
  readonly log: StreamLog
  /** For so long it is waited for. */
  readonly graceMs: number
  /** After so long a stream is closed by us, and the client has to come back for the rest. */
  readonly streamMs: number
}

/** How one POST wants to be answered. */
export interface PostOptions {
  /** Whether the JSON answer is an array. */
  readonly isBatch: boolean
  /** Whether the answer is an event stream from the beginning. */
  readonly asStream?: boolean
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

// A client should learn soon that it was heard: its own limit on silence may be short.
const patienceMs = 2000

/**
 * Answers a POST with JSON where its responses are all there is to say and come soon, else with an event stream.
 *
 * @param options.requests how many responses are awaited
 * @param options.resuming absent: a client that leaves is gone
 * @param options.onGone called once if the client leaves for good before the answer has ended
 * @param options.onEnd called once in any case
 */
export function createPostAnswer(
  options: PostOptions & {
    readonly requests: number
    readonly headers: Readonly<Record<string, string>>
    readonly resuming?: Resuming
    readonly onGone: () => void
    readonly onEnd: () => void
  },
): PostAnswer {
  const { isBatch, headers, signal, resuming, onEnd } = options
  const { promise: response, resolve } = Promise.withResolvers<Response>()
  const collected: JSONRPCMessage[] = []
  let awaited = options.requests
  let isStreaming = false
  let stream: EventStream | undefined
  let pollTimer: NodeJS.Timeout | undefined
  let graceTimer: NodeJS.Timeout | undefined
  let hasEnded = false

  const gone = () => {
    if (finish()) options.onGone()
  }
  const leave = () => {
    if (hasEnded) return
    stream = undefined
    clearTimeout(pollTimer)
    clearTimeout(graceTimer)
    if (resuming === undefined || !isStreaming) return gone()
    graceTimer = setTimeout(gone, resuming.graceMs).unref()
  }
  const patience = setTimeout(beginStream, patienceMs).unref()
  signal.addEventListener('abort', leave, { once: true })
  // Not before the caller holds the answer that it is told about.
  if (signal.aborted) queueMicrotask(leave)
  if (options.asStream === true) beginStream()

  function beginStream(): void {
    if (isStreaming) return
    isStreaming = true
    clearTimeout(patience)
    resolve(openStream())
    if (resuming !== undefined) stream?.prime(resuming.log.firstId())
    for (const message of collected.splice(0)) write(message)
  }

  function openStream(): Response {
    stream?.close()
    clearTimeout(pollTimer)
    clearTimeout(graceTimer)
    const opened = openEventStream(() => {
      if (stream === opened) leave()
    })
    stream = opened
    if (resuming !== undefined && Number.isFinite(resuming.streamMs)) {
      pollTimer = setTimeout(() => {
        opened.close()
        leave()
      }, resuming.streamMs).unref()
    }
    return new Response(opened.body, { headers: { ...headers, ...eventStreamHeaders } })
  }

  function write(message: JSONRPCMessage): void {
    const data = textOf(message)
    const event = resuming?.log.add(data) ?? { data }
    stream?.write(event)
  }

  function finish(): boolean {
    if (hasEnded) return false
    hasEnded = true
    for (const timer of [patience, pollTimer, graceTimer]) clearTimeout(timer)
    signal.removeEventListener('abort', leave)
    if (!isStreaming && collected.length > 0)
      resolve(jsonResponse(isBatch ? collected.map(readable) : readable(collected[0]), headers))
    else if (!isStreaming) resolve(openStream())
    stream?.close()
    onEnd()
    return true
  }

  return {
    response,
    tell(message) {
      if (hasEnded) return
      beginStream()
      write(message)
    },
    settle(message) {
      if (hasEnded) return
      awaited -= 1
      if (message !== undefined && !isStreaming) collected.push(message)
      else if (message !== undefined) write(message)
      if (awaited <= 0) finish()
    },
    resume(missed) {
      // From now on it is this stream that tells whether the client is there.
      signal.removeEventListener('abort', leave)
      const resumed = openStream()
      for (const event of missed) stream?.write(event)
      return resumed
    },
    end: () => void finish(),
  }
}

function jsonResponse(body: unknown, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), {
    headers: { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

/** The text of a message; of one that is nested too deep to be written, that it is. */
function textOf(message: JSONRPCMessage): string {
  try {
    return JSON.stringify(message)
  } catch {
    return JSON.stringify(unwritable(message))
  }
}

function readable(message: JSONRPCMessage | undefined): JSONRPCMessage | undefined {
  try {
    JSON.stringify(message)
    return message
  } catch {
    return unwritable(message)
  }
}

function unwritable(message: JSONRPCMessage | undefined): JSONRPCMessage {
  const id = message !== undefined && 'id' in message && message.id !== undefined ? message.id : 0
  return {
    jsonrpc: '2.0',
    id,
    error: { code: -32_603, message: 'The answer can not be written: it is nested too deep.' },
  }
}
