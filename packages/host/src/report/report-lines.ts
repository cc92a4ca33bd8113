import type { ProviderReport } from '../catalogue/catalogue.ts'
import type { Loser } from '../discovery/take-roll.ts'
import type { PluginFailure } from '../plugins/loaded-plugin.ts'

/** The line of the roll for a plugin that never got to answer, or answered badly. */
export function reportFailure(failure: PluginFailure): ProviderReport {
  const { finding } = failure
  return {
    appId: failure.appIds[0] ?? failure.name,
    plugin: failure.name,
    version: failure.version,
    kind: 'builtin',
    source: 'announced',
    state: failure.state,
    phase: finding.phase,
    ...codeOf(finding.code),
    message: finding.message,
    hint: finding.hint,
    causes: finding.causes,
    tools: 0,
    durationMs: failure.durationMs,
    from: failure.from,
  }
}

/** The line of the roll for a claim that somebody else had laid before. */
export function reportLoser({ claim, state, finding }: Loser): ProviderReport {
  return {
    appId: claim.appId,
    plugin: claim.plugin,
    version: claim.version,
    kind: claim.provider.kind === 'mcp' ? 'mcp' : 'builtin',
    source: claim.source,
    state,
    phase: finding.phase,
    ...codeOf(finding.code),
    message: finding.message,
    hint: finding.hint,
    causes: finding.causes,
    tools: 0,
    durationMs: 0,
    from: claim.from,
  }
}

function codeOf(code: PluginFailure['finding']['code']): Pick<ProviderReport, 'code'> {
  return code === 'MIGRATION' ? {} : { code }
}
