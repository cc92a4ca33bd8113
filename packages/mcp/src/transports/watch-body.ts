import type { RollcallError } from '@rollcall/plugin'

/** What is watched about the body of an answer. One of the last two is called, once. */
export interface BodyWatch {
  /** @throws what ends the body: it has become too large. */
  onChunk(chunk: Uint8Array): void
  onDone(): void
  /** @returns what its reader is told. */
  onBroken(error: unknown): RollcallError
}

/** The same answer, with somebody who watches its body pass. */
export function watchBody(response: Response, watch: BodyWatch): Response {
  const { body, status, statusText, headers } = response
  if (body === null) {
    watch.onDone()
    return response
  }
  const reader = body.getReader()
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          controller.close()
          watch.onDone()
          return
        }
        watch.onChunk(value)
        controller.enqueue(value)
      } catch (error) {
        controller.error(watch.onBroken(error))
        await reader.cancel().catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(watched, { status, statusText, headers })
}
