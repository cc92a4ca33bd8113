import type { ToolView } from '../catalogue/catalogue.ts'

/** Every row of a switch begins with this. */
export const switchPrefix = 'switch/'

/** Rows about what was accepted of a server begin with this; whoever connects to servers writes them. */
export const acceptedPrefix = 'accepted/'

/** The row of one tool: its owner counts, so that another plugin taking over an appId inherits nothing. */
export function toolKey(tool: Pick<ToolView, 'plugin' | 'appId' | 'original'>): string {
  return `${switchPrefix}tool/${[tool.plugin, tool.appId, tool.original].map(part).join('/')}`
}

/** The row of a group; it covers tools that come later. */
export function groupKey(group: string): string {
  return `${switchPrefix}group/${part(group)}`
}

// Half a character has no escape, and one bad group name must not cost the whole catalogue.
function part(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
