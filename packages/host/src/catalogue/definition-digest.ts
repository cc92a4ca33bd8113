import { type Digest, digestOf } from '@rollcall/plugin'
import type { ListedTool } from '../providers/provider.ts'

/** Whose tool it is and how its server is launched: the same definition from elsewhere is another tool. */
export interface DefinitionOrigin {
  readonly appId: string
  /** Package name of the plugin, or `configuration`. */
  readonly owner: string
  readonly launch?: Digest
}

/** The digest that switches, approvals and the lock file are bound to: all that a consumer reads about a tool, and its origin. */
export function definitionDigest(origin: DefinitionOrigin, tool: Pick<ListedTool, 'name' | 'definition'>): Digest {
  const { title, description, inputSchema, outputSchema, annotations } = tool.definition
  return digestOf(
    stated({
      appId: origin.appId,
      owner: origin.owner,
      launch: origin.launch,
      name: tool.name,
      title,
      description,
      inputSchema,
      outputSchema,
      annotations,
    }),
  )
}

function stated(fields: { readonly [key: string]: unknown }): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
