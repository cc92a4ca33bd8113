import type { ToolView } from '../catalogue/catalogue.ts'

/** What is switched: a tool, a group, or a discovered plugin, which counts from the next `host.refresh()`. */
export type SwitchTarget =
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'plugin'; readonly name: string }

/** A person's switches, kept in the store: they survive reconnects, re-imports and restarts. */
export interface Switches {
  /**
   * @returns the tools that were touched, as they stand now.
   * @throws {RollcallError} `TOOL_NOT_FOUND` for a tool, group or plugin that isn't there, `STORE_UNAVAILABLE`,
   * `HOST_CLOSED`, `CATALOGUE_NOT_READY` inside a listener of the registration event.
   */
  enable(target: SwitchTarget, by: string): Promise<readonly ToolView[]>
  /**
   * @returns the tools that were touched, as they stand now.
   * @throws {RollcallError} as `enable`.
   */
  disable(target: SwitchTarget, by: string): Promise<readonly ToolView[]>
}
