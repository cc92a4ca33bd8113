const lineFeed = 10
const carriageReturn = 13
const idField = 'id:'
/** An id that is longer is not remembered: the stream then counts as one that can not be resumed. */
const longestId = 1_000

/** Follows a stream of server-sent events as it passes: how large the current event is, and where it could be resumed. */
export class EventMeter {
  #bytes = 0
  #lineBytes = 0
  #previous = 0
  readonly #start: number[] = []
  #lastId: string | undefined

  /** Bytes of the event that has not ended yet. */
  get bytes(): number {
    return this.#bytes
  }

  /** The id of the last event that had one. */
  get lastId(): string | undefined {
    return this.#lastId
  }

  feed(chunk: Uint8Array): void {
    for (const byte of chunk) {
      this.#bytes += 1
      if (byte === carriageReturn || (byte === lineFeed && this.#previous !== carriageReturn)) this.#endLine()
      else if (byte !== lineFeed) {
        this.#lineBytes += 1
        if (this.#start.length < longestId) this.#start.push(byte)
      }
      this.#previous = byte
    }
  }

  #endLine(): void {
    if (this.#lineBytes === 0) this.#bytes = 0
    else if (this.#lineBytes < longestId) this.#readId(Buffer.from(this.#start).toString())
    this.#lineBytes = 0
    this.#start.length = 0
  }

  #readId(line: string): void {
    if (!line.startsWith(idField)) return
    const id = line.slice(idField.length).replace(/^ /, '')
    if (id !== '') this.#lastId = id
  }
}
