import type { TextRange } from '@rollcall/plugin'

/** A range with the label that stands in its place. */
export type LabelledRange = Required<TextRange>

/**
 * Puts `[redacted:<label>]` in the place of ranges. A JSON text stays one: within a string the mark respects escapes, a
 * bare number gives way to a quoted mark, and what holds a text together stays.
 *
 * @param ranges within the text; may overlap and have any order
 */
export function applyRanges(text: string, ranges: readonly LabelledRange[]): string {
  const merged = merge(ranges.map((range) => wholeCharacters(text, range)))
  if (merged.length === 0) return text
  return isJson(text) ? replace(text, withinTokens(text, merged)) : replace(text, merged)
}

type Mark = LabelledRange & { readonly quoted?: boolean }

function replace(text: string, marks: readonly Mark[]): string {
  let redacted = ''
  let keptFrom = 0
  for (const { start, end, label, quoted } of marks) {
    const mark = `[redacted:${label}]`
    redacted += text.slice(keptFrom, start) + (quoted ? `"${mark}"` : mark)
    keptFrom = end
  }
  return redacted + text.slice(keptFrom)
}

/** Ranges that meet become one, so that nothing of either stays; the earlier one names it. */
function merge(ranges: readonly LabelledRange[]): LabelledRange[] {
  const merged: LabelledRange[] = []
  for (const range of ranges.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1)
    if (last === undefined || range.start >= last.end) merged.push(range)
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, range.end) }
  }
  return merged
}

/** Half a character is none: a range takes in whole pairs of surrogates. */
function wholeCharacters(text: string, { start, end, label }: LabelledRange): LabelledRange {
  const isInside = (index: number) => /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(index - 1, index + 1))
  return { start: isInside(start) ? start - 1 : start, end: isInside(end) ? end + 1 : end, label }
}

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g
const escapeSequence = /\\(?:u[0-9a-fA-F]{4}|.)/g

function withinTokens(text: string, ranges: readonly LabelledRange[]): Mark[] {
  const marks: Mark[] = []
  let next = 0
  for (const { 0: found, index } of text.matchAll(token)) {
    const stop = index + found.length
    while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= index) next += 1
    for (let at = next; (ranges[at]?.start ?? stop) < stop; at += 1) {
      const range = ranges[at] as LabelledRange
      if (!found.startsWith('"')) {
        marks.push({ start: index, end: stop, label: range.label, quoted: true })
        break
      }
      const inside = { start: Math.max(range.start, index + 1), end: Math.min(range.end, stop - 1), label: range.label }
      if (inside.start < inside.end) marks.push(wholeEscapes(found, index, inside))
    }
  }
  return merge(marks) as Mark[]
}

/** A mark that would cut an escape in two takes the whole of it. */
function wholeEscapes(found: string, offset: number, range: LabelledRange): LabelledRange {
  let { start, end } = range
  for (const { 0: sequence, index } of found.matchAll(escapeSequence)) {
    const from = offset + index
    const to = from + sequence.length
    if (from < start && start < to) start = from
    if (from < end && end < to) end = to
  }
  return { start, end, label: range.label }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
