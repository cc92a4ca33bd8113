import type { Json, JsonObject } from '../json.ts'

/**
 * One block of a result, in MCP's words; blocks of kinds unknown to us pass through as `other`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string; readonly annotations?: JsonObject; readonly _meta?: JsonObject }
  | {
      readonly type: 'image' | 'audio'
      readonly data: string
      readonly mimeType: string
      readonly annotations?: JsonObject
      readonly _meta?: JsonObject
    }
  | {
      readonly type: 'resource'
      readonly resource: JsonObject
      readonly annotations?: JsonObject
      readonly _meta?: JsonObject
    }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly [key: string]: Json }

/** A named piece of a result that a face may show on its own. */
export interface Artifact {
  readonly type: 'table' | 'text' | 'json' | 'image' | 'file'
  readonly name: string
  readonly value: Json
}

/** What `execute` may return besides a string. `structured` without `content` gets its JSON text as content. */
export interface ToolResult<S = unknown> {
  readonly content?: readonly ToolContent[]
  readonly structured?: S
  readonly artifacts?: readonly Artifact[]
  readonly isError?: boolean
  /** `_meta` of an MCP result, passed through. */
  readonly meta?: JsonObject
}
