import type { JsonObject } from '@rollcall/plugin'
import type { CheckContext, Guardrails } from './create-guardrails.ts'
import { type Piece, type Treated, treatTexts } from './treat-texts.ts'

/** The answer to a request that is no tool call, as it may be passed on, or why it is withheld. */
export type TreatedAnswer =
  | (Pick<Treated & { readonly ok: true }, 'ok' | 'suspicious' | 'guardrails'> & { readonly value: JsonObject })
  | (Treated & { readonly ok: false })

/** What is meant to be read in an answer of the protocol: texts of prompts and resources, descriptions, errors. */
const textKeys: ReadonlySet<string> = new Set(['text', 'description', 'message'])

/** Treats all that can be read of a prompt, a resource, a completion or an error; what is binary passes. */
export async function treatAnswer(
  guardrails: Guardrails,
  answer: JsonObject,
  context: CheckContext & { readonly from: string },
): Promise<TreatedAnswer> {
  const { value, held } = withoutBinary(answer)
  const pieces: readonly Piece[] = [{ kind: 'json', value, textKeys }]
  const treated = await treatTexts(guardrails, pieces, context)
  if (!treated.ok) return treated
  const [piece] = treated.pieces
  const after = piece?.kind === 'json' && piece.value !== value ? withBinary(piece.value as JsonObject, held) : answer
  return { ok: true, value: after, suspicious: treated.suspicious, guardrails: treated.guardrails }
}

/** By the place of each, so that they are put back where they were. */
type Held = ReadonlyMap<string, string>

const binaryKeys: ReadonlySet<string> = new Set(['blob', 'data'])

function withoutBinary(answer: JsonObject): { readonly value: JsonObject; readonly held: Held } {
  const held = new Map<string, string>()
  const value = mapBinary(answer, '', (text, place) => {
    held.set(place, text)
    return ''
  })
  return { value: held.size === 0 ? answer : value, held }
}

function withBinary(value: JsonObject, held: Held): JsonObject {
  return held.size === 0 ? value : mapBinary(value, '', (text, place) => held.get(place) ?? text)
}

/** Binary parts stand beside their `mimeType`, or are the `blob` of a resource. */
function mapBinary<T>(value: T, place: string, change: (text: string, place: string) => string): T {
  if (typeof value !== 'object' || value === null) return value
  const isBinary = (key: string, part: unknown) =>
    typeof part === 'string' && binaryKeys.has(key) && (key === 'blob' || 'mimeType' in value)
  const map = (key: string, part: unknown): unknown =>
    isBinary(key, part) ? change(String(part), `${place}/${key}`) : mapBinary(part, `${place}/${key}`, change)
  if (Array.isArray(value)) return value.map((part, index) => map(String(index), part)) as T
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, map(key, part)])) as T
}
