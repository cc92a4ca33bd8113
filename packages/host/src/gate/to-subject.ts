import type { FeatureEntry, ToolView } from '../catalogue/catalogue.ts'
import type { GateSubject } from './gate.ts'

/** A tool as the gate sees it. */
export function toSubject(tool: ToolView): GateSubject {
  return { ...subjectOf(tool, 'tool', tool.name), ...(tool.drifting === true && { drifting: true as const }) }
}

/** Something of a provider as the gate sees it. */
export function subjectOf(
  { appId, traits, holds, kind }: Pick<FeatureEntry, 'appId' | 'traits' | 'holds' | 'kind'>,
  what: GateSubject['kind'],
  name: string,
): GateSubject {
  return { kind: what, name, appId, traits, holds, ...(kind === 'builtin' && { kept: 'inProcess' as const }) }
}
