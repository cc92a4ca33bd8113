/** What must be ended, in reverse order of opening. Node 22 has no stack of its own for it. */
export interface CleanupStack extends AsyncDisposable {
  /** Takes something over. @returns it. */
  use<T extends AsyncDisposable>(resource: T): T
  /** Hands everything over to a new owner; this stack then ends nothing. */
  move(): AsyncDisposable
}

/** Makes an empty stack. Disposing it ends everything, whatever fails on the way, and then throws the first fault. */
export function createCleanupStack(): CleanupStack {
  let owned: AsyncDisposable[] = []
  return {
    use(resource) {
      owned.push(resource)
      return resource
    },
    move() {
      const moved = owned
      owned = []
      return { [Symbol.asyncDispose]: () => endAll(moved) }
    },
    async [Symbol.asyncDispose]() {
      const left = owned
      owned = []
      await endAll(left)
    },
  }
}

async function endAll(owned: AsyncDisposable[]): Promise<void> {
  const faults: unknown[] = []
  for (let resource = owned.pop(); resource !== undefined; resource = owned.pop()) {
    try {
      await resource[Symbol.asyncDispose]()
    } catch (fault) {
      faults.push(fault)
    }
  }
  if (faults.length > 0) throw faults[0]
}
