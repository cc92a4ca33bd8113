import { type FoundSecret, findSecrets } from './find-secrets.ts'
import { secretShapes } from './secret-shapes.ts'
import { unmask } from './unmask.ts'

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

/** Secrets that overlap become one, so that nothing of either stays. */
function merge(ranges: readonly FoundSecret[]): FoundSecret[] {
  const merged: FoundSecret[] = []
  for (const range of ranges.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last === undefined || range.start >= last.end) merged.push(range)
    else
      merged[merged.length - 1] = {
        from: last.from,
        start: last.start,
        end: Math.max(last.end, range.end),
        rank: Math.min(last.rank, range.rank),
      }
  }
  return merged
}
