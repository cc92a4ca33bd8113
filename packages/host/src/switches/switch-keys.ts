import type { ToolView } from '../catalogue/catalogue.ts'

/** Every row of a switch begins with this. */
export const switchPrefix = 'switch/'

/** Rows about what was accepted of a server begin with this; whoever connects to servers writes them. */
export const acceptedPrefix = 'accepted/'

/** The row of one tool: its owner counts, so that another plugin taking over an appId inherits nothing. */
export function toolKey(tool: Pick<ToolView, 'plugin' | 'appId' | 'original'>): string {
  return `${switchPrefix}tool/${[tool.plugin, tool.appId, tool.original].map(encodeURIComponent).join('/')}`
}

/** The row of a group; it covers tools that come later. */
export function groupKey(group: string): string {
  return `${switchPrefix}group/${encodeURIComponent(group)}`
}

/** The row of a discovered plugin that somebody accepted. */
export function pluginKey(name: string): string {
  return `plugin/${name}`
}
