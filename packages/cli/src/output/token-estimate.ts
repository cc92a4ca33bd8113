import type { ToolView } from '@rollcall/host'

/** What a tool's definition costs a model, roughly: a token for four characters of name, description and schema. */
export function tokenEstimate(tool: Pick<ToolView, 'name' | 'definition'>): number {
  const { description, inputSchema } = tool.definition
  return Math.ceil(JSON.stringify({ name: tool.name, description, inputSchema }).length / 4)
}
