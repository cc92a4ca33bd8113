import type { ToolContent } from '@rollcall/plugin'

/** Text blocks of a result as far as a model gets them at once. */
export interface BoundResult {
  readonly content: readonly ToolContent[]
  /** All text of the result, where not all of it is in `content`. */
  readonly whole?: string
}

/**
 * Cuts the text blocks of a result, all together, to a number of bytes, at the boundary of a character. Other blocks pass.
 *
 * @param maxBytes of UTF-8
 */
export function boundResult(content: readonly ToolContent[], maxBytes: number): BoundResult {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= maxBytes) return { content }
  let left = maxBytes
  const kept = content.flatMap((block): readonly ToolContent[] => {
    if (block.type !== 'text') return [block]
    const text = cutTo(block.text, left)
    left -= Buffer.byteLength(text)
    return text === '' ? [] : [{ ...block, text }]
  })
  return { content: kept, whole: texts.join('\n') }
}

/** The beginning of a text that fits into a number of bytes. */
export function cutTo(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = Math.max(0, maxBytes)
  // Not in the middle of a character: those bytes begin with 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString('utf8')
}
