/** Requests of one client that are not answered yet. */
export class OpenRequests {
  readonly #ids = new Set<unknown>()
  readonly #waiting = new Set<() => void>()

  add(id: unknown): void {
    this.#ids.add(id)
  }

  has(id: unknown): boolean {
    return this.#ids.has(id)
  }

  settle(id: unknown): void {
    if (this.#ids.delete(id) && this.#ids.size === 0) for (const done of this.#waiting) done()
  }

  /** Resolves when no request is open, and at the latest after `limitMs`. */
  answered(limitMs: number): Promise<void> {
    if (this.#ids.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, limitMs)
      this.#waiting.add(done)
    })
  }
}
