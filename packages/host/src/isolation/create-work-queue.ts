/** Runs pieces of work one after another, so that two changes never make one generation together. */
export interface WorkQueue {
  run<T>(work: () => Promise<T>): Promise<T>
  /** Collects items until the queue gets to them, and hands them over together. */
  coalesce<I>(item: I, work: (items: ReadonlySet<I>) => Promise<void>): Promise<void>
  /** Resolves when nothing is queued, what was queued meanwhile included. */
  idle(): Promise<void>
}

/** Makes an idle queue. A rejection reaches its caller and stops nothing that comes after it. */
export function createWorkQueue(): WorkQueue {
  let last: Promise<unknown> = Promise.resolve()
  let collected: Set<unknown> | undefined

  const run = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
  return {
    run,
    async coalesce(item, work) {
      if (collected !== undefined) return void collected.add(item)
      const items = new Set([item])
      collected = items
      await run(() => {
        collected = undefined
        return work(items)
      })
    },
    async idle() {
      let awaited: Promise<unknown> | undefined
      while (awaited !== last) {
        awaited = last
        await awaited
      }
    },
  }
}
