import type { RestartPolicy } from './restart-policy.ts'

/** Starts a lost server again without a call, for those who wait for what it may say. */
export class ComeBack {
  readonly #restarts: RestartPolicy
  readonly #isWanted: () => boolean
  readonly #start: () => Promise<void>
  #timer: NodeJS.Timeout | undefined

  /** @param isWanted is it down, and does somebody wait for it? */
  constructor(restarts: RestartPolicy, isWanted: () => boolean, start: () => Promise<void>) {
    this.#restarts = restarts
    this.#isWanted = isWanted
    this.#start = start
  }

  /** Milliseconds since the epoch; undefined where none is planned. */
  get at(): number | undefined {
    return this.#timer === undefined ? undefined : this.#restarts.comeBackAt
  }

  /** Plans it for when the server may be started again; nothing where nobody waits. */
  plan(): void {
    if (!this.#isWanted()) return
    this.forget()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // One that fails to start is tried again from here; where another start is on its way, that one counts.
      if (this.#isWanted()) this.#start().catch(() => this.plan())
    }, this.#restarts.comeBackMs)
    this.#timer.unref()
  }

  forget(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
