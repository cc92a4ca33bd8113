import { RollcallError } from '@rollcall/plugin'

/**
 * Waits for a start that others may wait for too: one caller gives up waiting, and the start goes on.
 *
 * @throws {RollcallError} `SERVER_UNAVAILABLE` when the signal aborts first, and what the start throws.
 */
export function waitForStart<T>(starting: Promise<T>, signal: AbortSignal, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled(name))
    // Also for who has left already: a start that fails must have been waited for.
    starting.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}

function cancelled(name: string): RollcallError {
  return new RollcallError('SERVER_UNAVAILABLE', `The call was cancelled before ${name} was ready.`, {
    hint: 'Nothing was sent.',
    data: { cancelled: true },
  })
}
