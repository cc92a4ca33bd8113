import { oneLine, visibleText } from '@rollcall/plugin'

export { oneLine }

/** A foreign text on its own lines: line ends and tabs stay, everything else that moves a cursor is an escape. */
export function manyLines(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n')).replace(/[\r\u2028\u2029]/gu, oneLine)
}

/** Cuts a text to a width, counted in characters that a terminal shows in one cell or two. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const cells = cellsOf(segment)
    if (used + cells > width - 1) break
    cut += segment
    used += cells
  }
  return `${cut}…`
}

/** The number of terminal cells that a text without escapes takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += cellsOf(segment)
  return width
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function cellsOf(grapheme: string): number {
  return /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u.test(
    grapheme,
  )
    ? 2
    : 1
}
