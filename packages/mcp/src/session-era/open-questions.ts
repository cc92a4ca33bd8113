/** While a server waits for an answer of ours, the time that its own answers may take does not run out. */
export class OpenQuestions {
  readonly #limits = new Set<() => void>()
  #open = 0

  get isAny(): boolean {
    return this.#open > 0
  }

  /** @param extend begins the time anew. @returns the undo. */
  watch(extend: () => void): () => void {
    this.#limits.add(extend)
    return () => this.#limits.delete(extend)
  }

  /** Counts a question as open until it is answered. */
  async during<T>(answer: () => Promise<T>): Promise<T> {
    this.#open += 1
    try {
      return await answer()
    } finally {
      this.#open -= 1
      for (const extend of this.#limits) extend()
    }
  }
}
