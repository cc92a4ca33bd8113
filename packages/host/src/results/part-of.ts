import type { Json } from '@rollcall/plugin'
import { cutTo } from './bound-result.ts'

/** Which part of a result is wanted. */
export type Wanted =
  | { readonly kind: 'page'; readonly offset: number }
  | { readonly kind: 'lines'; readonly find: string }
  | { readonly kind: 'value'; readonly pointer: string }

const linesAround = 1

/** A part of a text that fits into a number of bytes, and what is to be said about the rest of it. */
export function partOf(
  text: string,
  wanted: Wanted,
  maxBytes: number,
): { readonly text: string; readonly note: string } {
  switch (wanted.kind) {
    case 'page':
      return page(text, wanted.offset, maxBytes)
    case 'lines':
      return lines(text, wanted.find, maxBytes)
    case 'value':
      return value(text, wanted.pointer, maxBytes)
  }
}

function page(text: string, offset: number, maxBytes: number) {
  // Never from the second half of a pair.
  const from = offset > 0 && /[\uDC00-\uDFFF]/.test(text[offset] ?? '') ? offset - 1 : offset
  const part = cutTo(text.slice(from, from + maxBytes), maxBytes)
  const end = from + part.length
  const rest = end < text.length ? `the next page begins at offset ${end}` : 'this is the end'
  return { text: part, note: `Characters ${from} to ${end} of ${text.length}; ${rest}.` }
}

function lines(text: string, find: string, maxBytes: number) {
  const all = text.split('\n')
  const hits = new Set<number>()
  const shown = new Set<number>()
  for (const [index, line] of all.entries()) {
    if (!line.toLowerCase().includes(find.toLowerCase())) continue
    hits.add(index)
    for (let near = index - linesAround; near <= index + linesAround; near++) if (near in all) shown.add(near)
  }
  const numbered = [...shown].map((index) => `${index + 1}${hits.has(index) ? ':' : '-'} ${all[index]}`).join('\n')
  const part = cutTo(numbered, maxBytes)
  const cut = part.length < numbered.length ? ' Not all of them fit: look for a rarer text.' : ''
  return { text: part, note: `${hits.size} of ${all.length} lines hold ${JSON.stringify(find)}.${cut}` }
}

/** @see RFC 6901 */
function value(text: string, pointer: string, maxBytes: number) {
  const parsed = parse(text)
  if (parsed === undefined) return { text: '', note: 'The result is no JSON: read it by offset or find.' }
  if (pointer !== '' && !pointer.startsWith('/'))
    return { text: '', note: 'A JSON Pointer begins with "/", or is empty.' }
  let found: Json | undefined = parsed.json
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) {
      return { text: '', note: `There is nothing at ${JSON.stringify(pointer)}: ${keysOf(found)}` }
    }
    found = (found as { readonly [key: string]: Json })[key]
  }
  const whole = JSON.stringify(found)
  const part = cutTo(whole, maxBytes)
  const cut =
    part.length < whole.length ? ` The first ${part.length} of ${whole.length} characters: ${keysOf(found)}` : ''
  return { text: part, note: `At ${JSON.stringify(pointer)}.${cut}` }
}

function parse(text: string): { readonly json: Json } | undefined {
  try {
    return { json: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}

function keysOf(value: Json | undefined): string {
  if (Array.isArray(value)) return `a list of ${value.length}.`
  if (typeof value !== 'object' || value === null) return 'a single value.'
  const keys = Object.keys(value)
  return `an object with ${keys.slice(0, 20).join(', ')}${keys.length > 20 ? ` and ${keys.length - 20} more keys` : ''}.`
}
