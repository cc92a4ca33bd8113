import { RollcallError } from '@rollcall/plugin'

interface Waiting {
  readonly start: () => void
}

/**
 * Lets a few calls through at once and the others wait; who waits is served in turn by principal, so that one busy
 * caller does not starve the others.
 */
export class CallQueue {
  readonly #name: string
  readonly #inFlight: number
  readonly #waiting: number
  // A map keeps the order in which principals came, which is whose turn it is.
  readonly #lines = new Map<string, Waiting[]>()
  #running = 0
  #queued = 0

  constructor(name: string, options: { readonly inFlight: number; readonly waiting: number }) {
    this.#name = name
    this.#inFlight = options.inFlight
    this.#waiting = options.waiting
  }

  /**
   * Waits for a place. @returns gives the place back.
   *
   * @throws {RollcallError} `BUSY` when too many wait; `SERVER_UNAVAILABLE` when the signal aborts first.
   */
  enter(principal: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(this.#left())
    if (this.#running < this.#inFlight) return Promise.resolve(this.#place())
    if (this.#queued >= this.#waiting) return Promise.reject(this.#full())
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#place())
        },
      }
      const leave = () => {
        if (this.#drop(principal, waiting)) reject(this.#left())
      }
      signal.addEventListener('abort', leave, { once: true })
      const line = this.#lines.get(principal)
      if (line === undefined) this.#lines.set(principal, [waiting])
      else line.push(waiting)
      this.#queued += 1
    })
  }

  #place(): () => void {
    this.#running += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#running -= 1
      this.#next()
    }
  }

  #next(): void {
    const [principal, line] = this.#lines.entries().next().value ?? []
    const waiting = line?.[0]
    if (principal === undefined || waiting === undefined) return
    this.#drop(principal, waiting)
    const rest = this.#lines.get(principal)
    // To the end of the row: the others come first now.
    if (rest !== undefined && this.#lines.delete(principal)) this.#lines.set(principal, rest)
    waiting.start()
  }

  #drop(principal: string, waiting: Waiting): boolean {
    const line = this.#lines.get(principal)
    const at = line?.indexOf(waiting) ?? -1
    if (line === undefined || at === -1) return false
    line.splice(at, 1)
    if (line.length === 0) this.#lines.delete(principal)
    this.#queued -= 1
    return true
  }

  #full(): RollcallError {
    return new RollcallError('BUSY', `${this.#waiting} calls wait for ${this.#name} already; nothing was sent.`, {
      hint: 'Repeat it later.',
    })
  }

  #left(): RollcallError {
    return new RollcallError('SERVER_UNAVAILABLE', `The call to ${this.#name} was cancelled before it was sent.`, {
      hint: 'Nothing was sent.',
    })
  }
}
