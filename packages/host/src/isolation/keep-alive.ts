const longMs = 2 ** 30

/**
 * Awaits something with a handle of its own. The clock's timers don't keep a process alive, and foreign code that
 * hangs may hold nothing that does: without the handle the process would end before the limit is reached.
 */
export async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const handle = setInterval(() => {}, longMs)
  try {
    return await work
  } finally {
    clearInterval(handle)
  }
}
