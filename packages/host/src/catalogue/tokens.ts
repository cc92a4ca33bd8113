import type { ToolView } from './catalogue.ts'

const bytesPerToken = 4

/**
 * About how many tokens a tool costs a model each turn: the bytes of name, description and input schema, divided by
 * four. An estimate to compare tools with; what a vendor counts differs by its tokeniser.
 */
export function estimateTokens(view: Pick<ToolView, 'name' | 'definition'>): number {
  const { description = '', inputSchema } = view.definition
  const bytes = Buffer.byteLength(`${view.name}${description}${JSON.stringify(inputSchema)}`)
  return Math.ceil(bytes / bytesPerToken)
}
