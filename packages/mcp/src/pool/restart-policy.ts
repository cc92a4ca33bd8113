const backOffMs = { first: 500, last: 30_000 }
/** So many failures within so long, and nobody but one probe at a time starts it. */
const circuit = { failures: 5, withinMs: 60_000 }
/** Up for this long, it is taken for sound again. */
const soundMs = 60_000
/** A call waits through this much of a back-off; where it takes longer, the call is told so at once. */
const patienceMs = 5_000

/** Whether a call may start the server now. */
export type Admission =
  /** It may, once so many milliseconds are over. */
  { readonly isAdmitted: true; readonly waitMs: number } | { readonly isAdmitted: false }

/**
 * When a server that fails may be started again. Each failure in a row doubles the pause, from half a second to 30 s; only
 * the call after the first one does not wait for it. Five failures within a minute open the circuit: calls fail fast, and
 * when the pause is over one start probes whether it works again.
 */
export class RestartPolicy {
  readonly #now: () => number
  /** Failures since it was sound. */
  #inRow = 0
  #recent: readonly number[] = []
  #isOpen = false
  #upSince: number | undefined
  #dueAt: number | undefined

  /** @param now milliseconds since the epoch, never going back. */
  constructor(now: () => number = () => performance.timeOrigin + performance.now()) {
    this.#now = now
  }

  /** It failed so often that only a probe may start it. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get failuresInRow(): number {
    return this.#inRow
  }

  /** Milliseconds since the epoch before which no call starts it; undefined where one may now. */
  get nextTryAt(): number | undefined {
    return this.#inRow > 1 && this.#leftMs > 0 ? this.comeBackAt : undefined
  }

  /** Milliseconds since the epoch at which it is started for those who wait without calling. */
  get comeBackAt(): number {
    return Math.ceil(this.#dueAt ?? this.#now() + backOffMs.first)
  }

  /** How long those who wait without calling let it be, at least. */
  get comeBackMs(): number {
    return Math.max(backOffMs.first, this.#leftMs)
  }

  /** Asked before every start by a call. */
  admit(): Admission {
    const waitMs = this.#inRow > 1 ? this.#leftMs : 0
    const longestMs = this.#isOpen ? 0 : patienceMs
    return waitMs > longestMs ? { isAdmitted: false } : { isAdmitted: true, waitMs }
  }

  /** It is up and listed. */
  started(): void {
    this.#isOpen = false
    this.#upSince = this.#now()
    this.#dueAt = undefined
  }

  /** It did not come up, or left while it ran. */
  failed(): void {
    const now = this.#now()
    if (this.#upSince !== undefined && now - this.#upSince >= soundMs) this.#forget()
    this.#upSince = undefined
    this.#inRow += 1
    this.#recent = [...this.#recent.filter((at) => now - at < circuit.withinMs), now]
    this.#isOpen = this.#recent.length >= circuit.failures
    this.#dueAt = now + Math.min(backOffMs.last, backOffMs.first * 2 ** (this.#inRow - 1))
  }

  /** It was not started for a reason that is not its own: a call may look at once whether that has changed. */
  refused(): void {
    this.#forget()
    this.#dueAt = this.#now() + backOffMs.last
  }

  #forget(): void {
    this.#inRow = 0
    this.#recent = []
    this.#isOpen = false
  }

  get #leftMs(): number {
    return this.#dueAt === undefined ? 0 : Math.max(0, this.#dueAt - this.#now())
  }
}
