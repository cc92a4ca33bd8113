import { visibleText } from '@rollcall/plugin'

const lineEnds: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A foreign text on one line without hidden characters, cut to `max` characters. */
export function shownText(text: string, max: number): string {
  // Cut before and after: an escape is longer than what it stands for, and a long text should cost nothing.
  const visible = visibleText(
    Array.from(text.slice(0, max * 2))
      .slice(0, max)
      .join(''),
  )
  return Array.from(visible.replace(/[\n\r\t]/g, (end) => lineEnds[end] ?? ''))
    .slice(0, max)
    .join('')
}
