import type { ToolView } from '../catalogue/catalogue.ts'
import type { GateSubject } from './gate.ts'

/** A tool as the gate sees it. */
export function toSubject(tool: ToolView): GateSubject {
  return { kind: 'tool', name: tool.name, appId: tool.appId, traits: tool.traits, holds: tool.holds }
}
