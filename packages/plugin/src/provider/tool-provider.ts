import type { Maybe } from '../json.ts'
import type { ToolDefinition } from '../tool/tool-definition.ts'
import type { OperatorWords } from './operator-words.ts'
import type { ServerDeclaration } from './server-declaration.ts'

/** What a listener announces. The host stamps plugin, source and order on it: an author can't state them. */
export type ToolProvider =
  | {
      readonly kind: 'builtin'
      /** Default: the plugin's first appId. */
      readonly appId?: string
      /** A function runs when the tools are listed, under its own limit (10 s). */
      readonly tools: readonly ToolDefinition[] | ((signal: AbortSignal) => Maybe<readonly ToolDefinition[]>)
    }
  | {
      readonly kind: 'mcp'
      readonly appId?: string
      readonly server: ServerDeclaration
      /** Only suggestions: the operator's words count. */
      readonly suggests?: OperatorWords
    }
