/** Writes that come in one turn of the event loop, committed together. */
export interface GroupCommit<Write, Result> {
  /** Resolves when the write is committed; rejects when it, or the commit, failed. */
  add(write: Write): Promise<Result>
  /** Commits now what waits. */
  flush(): void
}

interface Waiting<Write, Result> {
  readonly write: Write
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * A commit costs more than what it commits, so writes that arrive together share one. One that fails fails alone: the
 * others are then committed one by one.
 *
 * @param options.transaction runs a change between begin and commit, and rolls back when it throws
 */
export function createGroupCommit<Write, Result>(options: {
  readonly apply: (write: Write) => Result
  readonly transaction: <T>(change: () => T) => T
}): GroupCommit<Write, Result> {
  const { apply, transaction } = options
  let waiting: Waiting<Write, Result>[] = []

  const commit = (group: readonly Waiting<Write, Result>[]) => {
    try {
      const results = transaction(() => group.map(({ write }) => apply(write)))
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error)
      else for (const one of group) commit([one])
    }
  }
  const flush = () => {
    const group = waiting
    waiting = []
    if (group.length > 0) commit(group)
  }
  return {
    add(write) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      waiting.push({ write, resolve, reject })
      if (waiting.length === 1) setImmediate(flush)
      return promise
    },
    flush,
  }
}
