const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Cuts a byte stream into lines, whatever the chunks: a character that was split between two of them stays whole.
 * Stops for good at a line longer than `maxBytes`.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  readonly #onOverflow: () => void
  #pending: Buffer[] = []
  #pendingBytes = 0
  #overflown = false

  constructor(options: {
    readonly maxBytes: number
    readonly onLine: (line: string) => void
    readonly onOverflow: () => void
  }) {
    this.#maxBytes = options.maxBytes
    this.#onLine = options.onLine
    this.#onOverflow = options.onOverflow
  }

  push(chunk: Buffer): void {
    let start = 0
    while (!this.#overflown) {
      const end = chunk.indexOf(lineFeed, start)
      this.#keep(chunk.subarray(start, end === -1 ? undefined : end))
      if (end === -1 || this.#overflown) return
      this.#flush()
      start = end + 1
    }
  }

  #keep(piece: Buffer): void {
    this.#pendingBytes += piece.length
    if (this.#pendingBytes > this.#maxBytes) {
      this.#overflown = true
      this.#pending = []
      this.#onOverflow()
    } else if (piece.length > 0) {
      this.#pending.push(piece)
    }
  }

  #flush(): void {
    const line = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    this.#onLine(textOf(line ?? Buffer.alloc(0)))
  }
}

function textOf(line: Buffer): string {
  return line.toString('utf8', 0, line.at(-1) === carriageReturn ? line.length - 1 : line.length)
}
