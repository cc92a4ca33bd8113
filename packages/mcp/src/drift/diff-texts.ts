import type { Json } from '@rollcall/plugin'
import { type DiffLines, shown } from './diff-lines.ts'
import { diffWords } from './diff-words.ts'

/** Says where a text differs, before and after; something else than a text is shown whole. */
export function diffTexts(lines: DiffLines, label: string, was: Json | undefined, is: Json | undefined): void {
  if (typeof was !== 'string' || typeof is !== 'string') {
    lines.add(`${label}: ${shown(was)} → ${shown(is)}`)
    return
  }
  for (const hunk of diffWords(was, is)) {
    lines.add(`${label} was: ${quoted(hunk.was)}`)
    lines.add(`${label} is:  ${quoted(hunk.is)}`)
  }
}

/** A quote in the text can't end it. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
