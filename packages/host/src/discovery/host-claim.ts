import type { ToolDefinition } from '@rollcall/plugin'
import type { Claim } from './claim.ts'

/** The claim of the host's own tools to the appId `rollcall`: nobody can take it, and it stands last in every list. */
export function hostClaim(
  tools: readonly ToolDefinition[] | (() => readonly ToolDefinition[]),
  version: string,
): Claim {
  return {
    appId: 'rollcall',
    plugin: 'rollcall',
    version,
    source: 'host',
    order: Number.MAX_SAFE_INTEGER,
    provider: { kind: 'builtin', appId: 'rollcall', tools },
    from: 'rollcall',
  }
}
