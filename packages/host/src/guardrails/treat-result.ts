import type { Artifact, Json, JsonObject, ToolContent, ToolResult } from '@rollcall/plugin'
import type { CheckContext, Guardrails } from './create-guardrails.ts'
import { fenceText } from './fence-text.ts'
import { type Piece, type Treated, treatTexts } from './treat-texts.ts'

/** A tool's result as it may be passed on, or why it is withheld. */
export type TreatedResult =
  | (Pick<Treated & { readonly ok: true }, 'ok' | 'suspicious' | 'guardrails'> & { readonly result: ToolResult })
  | (Treated & { readonly ok: false })

/** Treats all that can be read of a result: texts, structured content, artifacts and `_meta`; images and sounds pass. */
export async function treatResult(
  guardrails: Guardrails,
  result: ToolResult,
  context: CheckContext & { readonly from: string },
): Promise<TreatedResult> {
  const slots = slotsOf(result)
  const treated = await treatTexts(
    guardrails,
    slots.map(({ piece }) => piece),
    context,
  )
  if (!treated.ok) return treated
  const { pieces, suspicious, guardrails: spoke } = treated
  let next = result
  for (const [index, { piece, put }] of slots.entries()) {
    const after = pieces[index] ?? piece
    if (after !== piece) next = put(next, after.kind === 'text' ? after.text : after.value)
  }
  const [what] = suspicious
  // Where there are no words, the data is what a model reads.
  if (what !== undefined && next.structured !== undefined && (next.content ?? []).length === 0) {
    const text = fenceText(JSON.stringify(next.structured), what, context.from)
    next = { ...next, content: [{ type: 'text', text }] }
  }
  return { ok: true, result: next, suspicious, guardrails: spoke }
}

interface Slot {
  readonly piece: Piece
  put(result: ToolResult, value: Json): ToolResult
}

const errorKeys = new Set(['message'])
const blockKeys = new Set(['title', 'description'])
const none: ReadonlySet<string> = new Set()

function slotsOf(result: ToolResult): readonly Slot[] {
  const { content = [], structured, artifacts, meta } = result
  const slots = content.flatMap((block, index) =>
    slotsOfBlock(block).map(({ piece, put }) => ({
      piece,
      put: (before: ToolResult, value: Json): ToolResult => ({
        ...before,
        content: (before.content ?? []).with(index, put((before.content ?? [])[index] as ToolContent, value)),
      }),
    })),
  )
  if (structured !== undefined)
    slots.push({ piece: json(structured, none), put: (before, value) => ({ ...before, structured: value }) })
  for (const [index, artifact] of (artifacts ?? []).entries()) slots.push(slotOfArtifact(artifact, index))
  // An error of its protocol is carried there, and its message is read.
  if (meta !== undefined)
    slots.push({ piece: json(meta, errorKeys), put: (before, value) => ({ ...before, meta: value as JsonObject }) })
  return slots
}

/** Pictures and files are no text; what looks like a secret in them is chance. */
function slotOfArtifact(artifact: Artifact, index: number): Slot {
  const { value: _, ...rest } = artifact
  const isBinary = artifact.type === 'image' || artifact.type === 'file'
  return {
    piece: json(isBinary ? rest : artifact, none),
    put: (before, value) => ({
      ...before,
      artifacts: (before.artifacts ?? []).with(index, { ...artifact, ...(value as object) }),
    }),
  }
}

interface BlockSlot {
  readonly piece: Piece
  put(block: ToolContent, value: Json): ToolContent
}

function slotsOfBlock(block: ToolContent): readonly BlockSlot[] {
  if (block.type === 'text' && typeof block.text === 'string') {
    const { type: _, text, ...rest } = block
    return [
      { piece: { kind: 'text', text }, put: (before, value) => ({ ...before, text: String(value) }) as ToolContent },
      ...restOf(rest),
    ]
  }
  if (block.type === 'resource' && typeof block.resource === 'object' && block.resource !== null) {
    const { text, blob: _, ...resource } = block.resource
    const inside = (before: ToolContent, change: JsonObject) =>
      ({ ...before, resource: { ...(before as { resource: JsonObject }).resource, ...change } }) as ToolContent
    const { type: _type, resource: _resource, ...rest } = block
    return [
      ...(typeof text === 'string'
        ? [
            {
              piece: { kind: 'text', text } as const,
              put: (before: ToolContent, value: Json) => inside(before, { text: value }),
            },
          ]
        : []),
      { piece: json(resource, blockKeys), put: (before, value) => inside(before, value as JsonObject) },
      ...restOf(rest),
    ]
  }
  const { data, ...rest } = block as { readonly data?: Json; readonly [key: string]: Json | undefined }
  const isBinary = (block.type === 'image' || block.type === 'audio') && typeof data === 'string'
  return restOf(isBinary ? rest : block)
}

function restOf(rest: object): readonly BlockSlot[] {
  if (Object.keys(rest).length === 0) return []
  return [{ piece: json(rest, blockKeys), put: (before, value) => ({ ...before, ...(value as object) }) }]
}

function json(value: unknown, textKeys: ReadonlySet<string>): Piece {
  return { kind: 'json', value: value as Json, textKeys }
}
