import { secretShapes } from './secret-shapes.ts'
import { unmask } from './unmask.ts'

interface Range {
  readonly start: number
  readonly end: number
  /** Position in the catalogue. */
  readonly rank: number
}

// A secret that is cut out may free the start of the one behind it. No text of this world needs more rounds.
const maxRounds = 8

/**
 * Replaces everything in a text that looks like a secret by `[redacted:<shape>]`.
 *
 * A JSON text stays one. Ids and digests are left alone. Characters of no width and look-alikes hide nothing.
 * A second application changes nothing. Takes time in proportion to the length of the text.
 */
export function redactSecrets(text: string): string {
  let redacted = text
  for (let round = 0; round < maxRounds; round += 1) {
    const next = redactOnce(redacted)
    if (next === redacted) break
    redacted = next
  }
  return redacted
}

function redactOnce(text: string): string {
  const { plain, indexInText } = unmask(text)
  let redacted = ''
  let keptFrom = 0
  for (const { start, end, rank } of merge(findSecrets(plain))) {
    const mark = `[redacted:${secretShapes[rank]?.name}]`
    redacted += text.slice(keptFrom, indexInText(start)) + (secretShapes[rank]?.quoted ? `"${mark}"` : mark)
    keptFrom = indexInText(end - 1) + 1
  }
  return redacted + text.slice(keptFrom)
}

function findSecrets(text: string): Range[] {
  return secretShapes.flatMap(({ pattern }, rank) =>
    // `matchAll` copies its pattern, which costs more than to search a short text.
    text.search(pattern) === -1 ? [] : Array.from(text.matchAll(pattern), (match) => toRange(text, match, rank)),
  )
}

function toRange(text: string, match: RegExpExecArray, rank: number): Range {
  const start = match.index + (match[1]?.length ?? 0)
  const end = match.index + match[0].length
  return { start: start + restOfEscape(text, start), end: end - (isEscaping(text, end) ? 1 : 0), rank }
}

/** Secrets that overlap become one, so that nothing of either stays. */
function merge(ranges: Range[]): Range[] {
  const merged: Range[] = []
  for (const range of ranges.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last === undefined || range.start >= last.end) merged.push(range)
    else
      merged[merged.length - 1] = {
        start: last.start,
        end: Math.max(last.end, range.end),
        rank: Math.min(last.rank, range.rank),
      }
  }
  return merged
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
