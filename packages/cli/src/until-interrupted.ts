/** Resolves when the signal aborts; keeps the process alive until then. */
export function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const stay = setInterval(() => {}, 60_000)
    const leave = () => {
      clearInterval(stay)
      resolve()
    }
    signal.addEventListener('abort', leave, { once: true })
  })
}
