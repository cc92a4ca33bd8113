import { RollcallError } from '@rollcall/plugin'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import type { ConfigEdit } from './edit-config.ts'

/**
 * Edits JSON with comments; everything that isn't touched stays as it is, byte by byte.
 *
 * @throws {RollcallError} `CONFIG_INVALID` for text that is no JSON.
 */
export function editJson(text: string, edits: readonly ConfigEdit[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  let body = text.slice(mark.length)
  const errors: ParseError[] = []
  parse(body, errors, { allowTrailingComma: true })
  if (errors.length > 0) {
    throw new RollcallError('CONFIG_INVALID', 'The configuration is no JSON.', { hint: 'Correct its syntax.' })
  }
  const formattingOptions = formattingOf(body)
  for (const { path, value } of edits) {
    body = applyEdits(body, modify(body, [...path], value, { formattingOptions }))
  }
  return mark + body
}

function formattingOf(text: string) {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}
