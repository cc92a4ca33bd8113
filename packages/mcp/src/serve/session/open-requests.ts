/**
 * The requests of one session that are being worked on. A server that serves several of them at once does not say for
 * which it asks something, so a question is given up when none of them is open any more.
 */
export class OpenRequests {
  #open = 0
  /** Absent while nothing has been asked: most requests never do. */
  #idle: AbortController | undefined

  /** Aborts when the last of those that are open now, or begin meanwhile, has ended. */
  get idle(): AbortSignal {
    this.#idle ??= new AbortController()
    return this.#idle.signal
  }

  begin(): void {
    this.#open += 1
  }

  end(): void {
    this.#open -= 1
    if (this.#open > 0) return
    this.#idle?.abort()
    this.#idle = undefined
  }
}
