import { visibleText } from './visible-text.ts'

/** A foreign text on one line: every control, bidi and zero-width character is an escape, line ends and tabs too. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/[\n\r\t\u2028\u2029]/gu, escapedBreak)
}

function escapedBreak(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
  return short ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
