import { visibleText } from '@rollcall/plugin'

// What `visibleText` keeps, written as it writes the rest.
const lineEnds: Readonly<Record<string, string>> = { '\n': '\\u{000A}', '\t': '\\u{0009}' }

/** A foreign text on one line without hidden characters, cut to `max` characters. */
export function shownText(text: string, max: number): string {
  // Cut twice: an escape is longer than what it stands for, and a long text should cost nothing.
  return cut(
    visibleText(cut(text, max)).replace(/[\n\t]/g, (end) => lineEnds[end] ?? ''),
    max,
  )
}

function cut(text: string, max: number): string {
  const characters = Array.from(text.slice(0, max * 2))
  return characters.slice(0, max).join('')
}
