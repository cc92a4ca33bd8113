import { type Json, redactSecrets } from '@rollcall/plugin'
import { injectionIn } from '../catalogue/injected-instructions.ts'
import type { CheckContext, Guardrails } from './create-guardrails.ts'
import { fenceText } from './fence-text.ts'

/** One piece of what a provider answered, on its way to a caller. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** Data. Only strings under these keys are meant to be read as text, and may be put between marks. */
  | { readonly kind: 'json'; readonly value: Json; readonly textKeys: ReadonlySet<string> }

/** The pieces as they may be passed on. */
export type Treated =
  | {
      readonly ok: true
      /** In the order of what was given; a piece that nothing was to be done about is the same object. */
      readonly pieces: readonly Piece[]
      /** What reads like instructions to a model, in words. */
      readonly suspicious: readonly string[]
      /** Who did anything about them. */
      readonly guardrails: readonly string[]
    }
  | {
      readonly ok: false
      readonly reasons: readonly string[]
      readonly hint?: string
      readonly guardrails: readonly string[]
    }

/**
 * The order of treatment: secrets are redacted in the whole, the guardrails of the configuration read what is left, and
 * text that poses as instructions is put between marks. What nobody objects to is passed on as it is.
 *
 * @throws {TypeError} for what is no JSON
 */
export async function treatTexts(
  guardrails: Guardrails,
  given: readonly Piece[],
  context: CheckContext & { readonly from: string },
): Promise<Treated> {
  const { from, ...about } = context
  const spoke: string[] = []
  let pieces = given.map(withoutSecrets)
  if (pieces.some((piece, index) => piece !== given[index])) spoke.push('secret-redaction')

  if (guardrails.watches('toolResult')) {
    const texts = pieces.map(textOf)
    // Nobody can be asked about a result, and nothing is executed a second time for a better one.
    const checked = await guardrails.check('toolResult', texts, { ...about, hasRetried: true })
    spoke.push(...checked.guardrails)
    if (checked.verdict !== 'allow' && checked.verdict !== 'redact')
      return { ok: false, reasons: checked.reasons, guardrails: spoke }
    pieces = pieces.map((piece, index) => withText(piece, texts[index] ?? '', checked.texts[index] ?? ''))
  }

  const suspicious = new Set<string>()
  pieces = pieces.map((piece) => fence(piece, from, suspicious))
  if (suspicious.size > 0) spoke.push('prompt-injection')
  return { ok: true, pieces, suspicious: [...suspicious], guardrails: spoke }
}

function withoutSecrets(piece: Piece): Piece {
  const text = textOf(piece)
  return withText(piece, text, redactSecrets(text))
}

function textOf(piece: Piece): string {
  return piece.kind === 'text' ? piece.text : JSON.stringify(piece.value)
}

function withText(piece: Piece, before: string, after: string): Piece {
  if (before === after) return piece
  return piece.kind === 'text' ? { kind: 'text', text: after } : { ...piece, value: JSON.parse(after) as Json }
}

function fence(piece: Piece, from: string, suspicious: Set<string>): Piece {
  if (piece.kind === 'text') {
    const what = injectionIn(piece.text)
    if (what === undefined) return piece
    suspicious.add(what)
    return { kind: 'text', text: fenceText(piece.text, what, from) }
  }
  let isChanged = false
  const walk = (value: Json, key: string): Json => {
    if (typeof value === 'string') {
      const what = injectionIn(value)
      if (what === undefined) return value
      suspicious.add(what)
      if (!piece.textKeys.has(key)) return value
      isChanged = true
      return fenceText(value, what, from)
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((part: Json) => walk(part, key))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, walk(part, name)]))
  }
  const walked = walk(piece.value, '')
  return isChanged ? { ...piece, value: walked } : piece
}
