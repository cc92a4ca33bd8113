import type { LoggedEvent } from './event-log.ts'

/** Server-sent events towards one client. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Writes one message; drops it where the client has gone, or has let too many lie. */
  write(event: Pick<LoggedEvent, 'data'> & Partial<LoggedEvent>): void
  /** Says nothing but how the client comes back when the stream breaks off. */
  prime(id: string): void
  close(): void
}

const keepAliveMs = 15_000
const retryMs = 1000
const maxUnread = 1000
const encoder = new TextEncoder()

/** What a response with an event stream as its body needs; nothing between us may hold events back. */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Opens a stream of server-sent events that stays alive through silence.
 *
 * @param onGone called once if the client leaves before `close`
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function openEventStream(onGone: () => void): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const keepAlive = setInterval(() => put(': keepalive\n\n'), keepAliveMs).unref()
  const end = () => {
    clearInterval(keepAlive)
    const ending = controller
    controller = undefined
    return ending
  }
  const put = (text: string) => {
    if (controller !== undefined && (controller.desiredSize ?? 0) > -maxUnread) controller.enqueue(encoder.encode(text))
  }
  return {
    body: new ReadableStream<Uint8Array>({
      start(started) {
        controller = started
      },
      cancel() {
        if (end() !== undefined) onGone()
      },
    }),
    write: ({ id, data }) => put(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`),
    prime: (id) => put(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`),
    close: () => end()?.close(),
  }
}
