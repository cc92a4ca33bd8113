import type { ToolView } from '../catalogue/catalogue.ts'

/** What was switched: a tool, a group or a discovered plugin. */
export type SwitchTarget =
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'plugin'; readonly name: string }

/** A person's switches, kept in the store: they survive reconnects, re-imports and restarts. */
export interface Switches {
  /** @throws {RollcallError} `TOOL_NOT_FOUND` for a tool, group or plugin that isn't there. */
  enable(target: SwitchTarget, by: string): Promise<readonly ToolView[]>
  /** @throws {RollcallError} `TOOL_NOT_FOUND` for a tool or group that isn't there. */
  disable(target: SwitchTarget, by: string): Promise<readonly ToolView[]>
}
