import { secretShapes } from './secret-shapes.ts'

/** A secret in a text, in UTF-16 units. */
export interface FoundSecret {
  /** Where what it is told by begins: the name in front of a password. */
  readonly from: number
  readonly start: number
  readonly end: number
  /** Position in the catalogue. */
  readonly rank: number
}

/**
 * Everything in a text that looks like a secret, in the order of the catalogue; may overlap.
 *
 * @param text unmasked
 */
export function findSecrets(text: string): FoundSecret[] {
  return secretShapes.flatMap(({ pattern }, rank) =>
    // `matchAll` copies its pattern, which costs more than to search a short text.
    text.search(pattern) === -1 ? [] : Array.from(text.matchAll(pattern), (match) => toFound(text, match, rank)),
  )
}

function toFound(text: string, match: RegExpExecArray, rank: number): FoundSecret {
  const start = match.index + (match[1]?.length ?? 0)
  const end = match.index + match[0].length
  return {
    from: match.index,
    start: start + restOfEscape(text, start),
    end: end - (isEscaping(text, end) ? 1 : 0),
    rank,
  }
}

/** A match that begins within an escape of a JSON text must leave that escape whole. */
function restOfEscape(text: string, index: number): number {
  if (!isEscaping(text, index)) return 0
  return text[index] === 'u' ? 5 : 1
}

/** Whether the character before an index is a backslash that escapes the one at it. */
function isEscaping(text: string, index: number): boolean {
  let backslashes = 0
  while (text[index - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
