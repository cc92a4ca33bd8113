import type { CallOptions } from '@rollcall/host'
import type { ClientRequest } from './client-request.ts'
import { shownText } from './shown-text.ts'

/** How a call that runs or waits is told to its caller. */
export interface CallProgress {
  readonly report: NonNullable<CallOptions['onProgress']>
  /** Says every few seconds that a person is awaited. @returns what ends it. */
  awaitPerson(): () => void
}

const tickMs = 5000
const maxMessage = 1000

/**
 * Progress towards a caller that asked for it.
 *
 * What was said while waiting counts as steps, so that the numbers rise all through a call, as the protocol asks.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export function createCallProgress(send: NonNullable<ClientRequest['onProgress']>): CallProgress {
  let waitedSteps = 0
  const tick = () => {
    waitedSteps += 1
    send({ progress: waitedSteps, message: 'waiting for a person' })
  }
  return {
    report({ done, total, message }) {
      send({
        progress: waitedSteps + done,
        ...(total !== undefined && { total: waitedSteps + total }),
        ...(message !== undefined && { message: shownText(message, maxMessage) }),
      })
    },
    awaitPerson() {
      tick()
      const timer = setInterval(tick, tickMs).unref()
      return () => clearInterval(timer)
    },
  }
}
