import { type Json, type JsonObject, redactSecrets, type ToolContent } from '@rollcall/plugin'
import type { EndedOutcome } from '../invoke/end-call.ts'

const maxDepth = 64

/** An outcome without the secrets of known shapes: in its texts, its structured content and what is embedded. */
export function redactOutcome(outcome: EndedOutcome): EndedOutcome {
  if (outcome.status !== 'ok' && outcome.status !== 'failed') return outcome
  const content = outcome.content.map(redactBlock)
  const structured = outcome.structured === undefined ? {} : { structured: redactJson(outcome.structured as Json) }
  const text = redactSecrets(outcome.text)
  if (outcome.status === 'failed') return { ...outcome, content, text, ...structured }
  return { ...outcome, content, text, ...structured, artifacts: outcome.artifacts.map(redactArtifact) }
}

function redactBlock(block: ToolContent): ToolContent {
  if (block.type === 'text') return { ...block, text: redactSecrets(block.text) }
  // Pictures and sounds are no text; what looks like a secret in them is chance.
  if (block.type !== 'resource') return block
  const { resource } = block
  return typeof resource.text === 'string'
    ? { ...block, resource: { ...resource, text: redactSecrets(resource.text) } }
    : block
}

function redactArtifact<A extends { readonly type: string; readonly value: Json }>(artifact: A): A {
  return artifact.type === 'image' || artifact.type === 'file'
    ? artifact
    : { ...artifact, value: redactJson(artifact.value) }
}

/** Every string of it, keys left alone: the shape that a schema asks for stays. */
function redactJson(value: Json, depth = 0): Json {
  if (typeof value === 'string') return redactSecrets(value)
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((part: Json) => redactJson(part, depth + 1))
  const entries = Object.entries(value as JsonObject)
  return Object.fromEntries(entries.map(([key, part]) => [key, redactJson(part, depth + 1)]))
}
