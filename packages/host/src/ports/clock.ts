/** Time, as a port: tests bring a manual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
