import { type Effect, type JsonObject, visibleText } from '@rollcall/plugin'

/**
 * The hints that we give about a tool: never looser than the operator's word, whatever its server claims.
 *
 * A hint that is no boolean counts as the stricter answer. Hints that we don't know are left out.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export function tightenAnnotations(effect: Effect, hints: JsonObject = {}): JsonObject {
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints
  const denies = (hint: unknown) => hint !== undefined && hint !== true
  // The protocol takes a tool that changes something for destructive unless it says otherwise.
  const saysDestructive = destructiveHint === undefined ? denies(readOnlyHint) : destructiveHint !== false
  return {
    ...(typeof title === 'string' && { title: visibleText(title) }),
    readOnlyHint: effect === 'read' && !denies(readOnlyHint),
    destructiveHint: effect !== 'read' || saysDestructive,
    idempotentHint: effect !== 'write' && !denies(idempotentHint),
    ...(typeof openWorldHint === 'boolean' && { openWorldHint }),
  }
}
