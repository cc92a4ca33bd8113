/** Milliseconds to wait, for whoever asks again at once; and between two runs. */
export interface LaterOnceOptions {
  readonly afterMs: number
  readonly apartMs: number
}

/** Does some work a while after it was asked for: once however often it is asked, and not again too soon. */
export class LaterOnce {
  readonly #work: () => Promise<void>
  readonly #options: LaterOnceOptions
  #timer: NodeJS.Timeout | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #isStopped = false

  /** @param work never rejects. */
  constructor(work: () => Promise<void>, options: LaterOnceOptions) {
    this.#work = work
    this.#options = options
  }

  ask(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    const { afterMs, apartMs } = this.#options
    const waitMs = Math.max(afterMs, this.#lastAt + apartMs - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#lastAt = performance.now()
      void this.#work()
    }, waitMs)
    this.#timer.unref()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }
}
