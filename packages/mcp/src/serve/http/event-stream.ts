import type { LoggedEvent } from './event-log.ts'

/** Server-sent events towards one client. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Writes one message; a client that has let too much lie is taken for gone. */
  write(event: Pick<LoggedEvent, 'data'> & Partial<LoggedEvent>): void
  /** Says nothing but how the client comes back when the stream breaks off. */
  prime(id: string): void
  close(): void
}

const keepAliveMs = 15_000
const retryMs = 1000
const maxUnreadBytes = 16 * 1024 * 1024
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
  /** Whoever lets too much lie is let go: dropping one message of many would leave it waiting for ever. */
  const put = (text: string) => {
    if (controller === undefined) return
    const bytes = encoder.encode(text)
    const unread = -(controller.desiredSize ?? 0)
    // One message may be larger than all that may lie.
    if (unread <= 0 || unread + bytes.length <= maxUnreadBytes) return controller.enqueue(bytes)
    end()?.close()
    onGone()
  }
  return {
    body: new ReadableStream<Uint8Array>(
      {
        start(started) {
          controller = started
        },
        cancel() {
          if (end() !== undefined) onGone()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    ),
    write: ({ id, data }) => put(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`),
    prime: (id) => put(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`),
    close: () => end()?.close(),
  }
}
