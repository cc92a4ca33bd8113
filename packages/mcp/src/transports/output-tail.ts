import { redactSecrets, visibleText } from '@rollcall/plugin'

/** Keeps the newest bytes of a stream and shows them without secrets and control characters. */
export class OutputTail {
  readonly #bytes: Buffer
  readonly #secrets: readonly string[]
  #total = 0

  constructor(options: { readonly maxBytes: number; readonly secrets: readonly string[] }) {
    this.#bytes = Buffer.alloc(options.maxBytes)
    this.#secrets = options.secrets
  }

  push(chunk: Buffer): void {
    const size = this.#bytes.length
    const newest = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk
    this.#total += chunk.length - newest.length
    const at = this.#total % size
    const fits = Math.min(newest.length, size - at)
    newest.copy(this.#bytes, at, 0, fits)
    newest.copy(this.#bytes, 0, fits)
    this.#total += newest.length
  }

  /** The kept text, redacted and escaped. */
  read(): string {
    return visibleText(redactSecrets(hideSecrets(this.#text(), this.#secrets))).trimEnd()
  }

  #text(): string {
    const size = this.#bytes.length
    if (this.#total <= size) return this.#bytes.toString('utf8', 0, this.#total)
    const at = this.#total % size
    const kept = Buffer.concat([this.#bytes.subarray(at), this.#bytes.subarray(0, at)])
    // What was cut at the front may be half a character, or half a secret that no pattern knows any more.
    return kept.subarray(endOfFirstWord(kept)).toString('utf8')
  }
}

/** Replaces the values that were handed to a server as secrets, wherever it repeats them. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  // The longest first: another may be a part of it.
  return secrets
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, secret) => (secret.length < 4 ? shown : shown.replaceAll(secret, '[redacted]')), text)
}

function endOfFirstWord(bytes: Buffer): number {
  const end = bytes.findIndex((byte) => byte <= 0x20)
  return end === -1 ? 0 : end + 1
}
