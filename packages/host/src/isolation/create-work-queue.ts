/** Runs pieces of work one after another, so that two changes never make one generation together. */
export interface WorkQueue {
  run<T>(work: () => Promise<T>): Promise<T>
  /** Collects items until the queue gets to them, and hands them over together. */
  coalesce<I>(item: I, work: (items: ReadonlySet<I>) => Promise<void>): Promise<void>
  /** Resolves when nothing is queued. */
  idle(): Promise<void>
}

/** Makes an idle queue. A rejection reaches its caller and stops nothing that comes after it. */
export function createWorkQueue(): WorkQueue {
  let last: Promise<unknown> = Promise.resolve()
  let collected = new Set<unknown>()

  const run = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
  return {
    run,
    coalesce(item, work) {
      collected.add(item)
      if (collected.size > 1) return Promise.resolve()
      return run(async () => {
        const items = collected as Set<typeof item>
        collected = new Set()
        await work(items)
      })
    },
    idle: async () => {
      await last
    },
  }
}
