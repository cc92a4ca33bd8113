import type { FoundSecret } from './find-secrets.ts'
import { endOfWord, openSecretsIn, secretsIn, startOfWord } from './open-secrets.ts'
import { redactSecrets } from './redact-secrets.ts'
import { secretShapes } from './secret-shapes.ts'

/** Redacts a text that comes in pieces. */
export interface Redactor {
  /** Takes the next piece. @returns what of the text so far may be shown, perhaps nothing. */
  push(piece: string): string
  /** The text is over. @returns the rest of what may be shown. */
  end(): string
}

const leastHeld = 128
const mostHeld = 4_096
// So that a word without end comes in pieces, not letter by letter.
const heldOfWord = 3_584
// What is kept of a secret that is longer than may be held: enough to see where it ends.
const headKept = 64
const tailKept = 1_024
// Longer than any key; by then it was none.
const mostSwallowed = 65_536

/** A secret that is known as one before its end has come: the mark is out, the rest of it is dropped. */
interface Swallowing {
  /** Its beginning, with what it is told by, so that its end is found. */
  readonly head: string
  readonly dropped: number
}

/**
 * Makes a redactor for one text. It gives what `redactSecrets` would give for the whole, and holds back at least the
 * last 128 characters, more from the start of whatever may still become a secret, and at most 4,096 of them. A secret
 * that is longer is redacted as soon as that is known; what only might have become such a one is, too.
 *
 * @example
 * const redactor = createRedactor()
 * for await (const piece of stream) write(redactor.push(piece))
 * write(redactor.end())
 */
export function createRedactor(): Redactor {
  let held = ''
  let swallowing: Swallowing | undefined
  let lookAt = leastHeld + 1

  const give = (cut: number): string => {
    const text = held.slice(0, cut)
    held = held.slice(cut)
    return redactSecrets(text)
  }

  /** Drops what belongs to the secret. @returns whether it is over. */
  const swallow = ({ head, dropped }: Swallowing, isLast: boolean): boolean => {
    const end = endOfSecret(head, held)
    if (!isLast && end >= held.length - leastHeld && dropped < mostSwallowed) {
      const kept = held.slice(-tailKept)
      swallowing = { head, dropped: dropped + held.length - kept.length }
      held = kept
      return false
    }
    held = held.slice(end)
    swallowing = undefined
    return true
  }

  const look = (): string => {
    if (swallowing !== undefined && !swallow(swallowing, false)) return ''
    const found = secretsIn(held)
    const open = openSecretsIn(held)
    const cut = settledUpTo(held, found, open)
    if (held.length - cut <= mostHeld) return cut === 0 ? '' : give(cut)

    // It is too long to be waited for.
    const forced = wholeCharacter(held, held.length - heldOfWord)
    const [longest] = [...found, ...open]
      .filter(({ from, end }) => from <= forced && end >= held.length - leastHeld)
      .toSorted((one, other) => one.start - other.start)
    if (longest === undefined) return give(forced)
    const { from, start, rank } = longest
    const head = held.slice(from, start + headKept)
    const given = `${give(start)}[redacted:${secretShapes[rank]?.name}]`
    swallowing = { head, dropped: 0 }
    held = held.slice(headKept)
    swallow(swallowing, false)
    return given
  }

  return {
    push(piece) {
      held += piece
      // A look at every letter would cost more than it shows.
      if (held.length < lookAt && held.length <= mostHeld) return ''
      const given = look()
      lookAt = Math.max(leastHeld + 1, held.length + Math.floor(held.length / 16))
      return given
    },
    end() {
      if (swallowing !== undefined) swallow(swallowing, true)
      return give(held.length)
    },
  }
}

/** How much of a text nothing that comes can change. */
function settledUpTo(text: string, found: readonly FoundSecret[], open: readonly FoundSecret[]): number {
  const limit = text.length - leastHeld
  let cut = limit
  for (const { from, end } of [...found, ...open]) if (end >= limit) cut = Math.min(cut, from)
  const whole = redactSecrets(text)
  for (;;) {
    for (let before = -1; before !== cut; ) {
      before = cut
      // A word may go on, and is then another one; no secret is cut in two, nor anything that it is told by.
      cut = startOfWord(text, cut)
      for (const { from, end } of found) if (from < cut && cut < end) cut = from
    }
    // What stands before a cut must not read otherwise for being the end of its text.
    if (redactSecrets(text.slice(0, cut)) + redactSecrets(text.slice(cut)) === whole) return cut
    cut = Math.max(0, ...[...found, ...open].map(({ from }) => from).filter((from) => from < cut))
  }
}

/** Where, behind its head, a secret ends: the end of the text if it goes on. */
function endOfSecret(head: string, rest: string): number {
  const text = head + rest
  // A token of several parts has lost the dots between them.
  for (const joined of ['', '.Aa1Aa1']) {
    const whole = head + joined + rest
    const ends = [...secretsIn(whole), ...openSecretsIn(whole)].flatMap(({ start, end }) =>
      start < head.length && end > head.length + joined.length ? [end - joined.length] : [],
    )
    if (ends.length > 0) return Math.max(...ends) - head.length
  }
  return endOfWord(text, head.length) - head.length
}

function wholeCharacter(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at
}
