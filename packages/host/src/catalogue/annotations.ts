import type { JsonObject } from '@rollcall/plugin'
import type { ToolView } from './catalogue.ts'

/**
 * The annotations that we publish for a tool. A server's hints can make a tool look more dangerous than our effect
 * says, never less; whatever is no hint passes as it is.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export function tightenAnnotations(view: Pick<ToolView, 'kind' | 'traits' | 'definition'>): JsonObject {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint, ...others } = view.definition.annotations ?? {}
  const { effect } = view.traits
  return {
    ...others,
    readOnlyHint: effect === 'read' && readOnlyHint !== false,
    destructiveHint: effect !== 'read' || destructiveHint === true,
    idempotentHint: effect !== 'write' && idempotentHint !== false,
    // Effects say nothing about how far a tool reaches; absent means the open world.
    ...(typeof openWorldHint === 'boolean' ? { openWorldHint } : {}),
  }
}
