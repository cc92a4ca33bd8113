import type { Finding } from '@rollcall/plugin'
import type { Listed } from '../providers/list-tools.ts'
import type { Listing } from '../providers/provider.ts'
import type { BuiltProvider } from './build-catalogue.ts'
import type { ProviderReport } from './catalogue.ts'
import type { Hold } from './hold.ts'

/** The line of the roll for a provider whose tools could not be listed. */
export function reportFailed(listed: Listed, failure: Finding): ProviderReport {
  return {
    ...lineOf(listed, ''),
    state: 'failed',
    phase: failure.phase,
    ...(failure.code === 'MIGRATION' ? {} : { code: failure.code }),
    message: failure.message,
    hint: failure.hint,
    causes: failure.causes,
    tools: 0,
  }
}

/** The line of the roll for a provider that gave a listing: active, degraded by what was dropped, or held. */
export function reportListed(listed: Listed, listing: Listing, built: BuiltProvider): ProviderReport {
  const { appId } = listed.claim
  const line = { ...lineOf(listed, listing.detail), tools: built.entries.length, causes: [] }
  const hold = listing.holds[0] ?? heldAsWhole(built)
  if (hold !== undefined) {
    const message = `${appId} must not be used yet: ${hold.by}.`
    return { ...line, state: 'held', phase: 'validate', code: 'PROVIDER_HELD', message, hint: hold.hint }
  }
  const [first] = built.dropped
  if (first === undefined) return { ...line, state: 'active' }
  return {
    ...line,
    state: 'degraded',
    phase: 'validate',
    ...(first.code === 'MIGRATION' ? {} : { code: first.code }),
    message: `${built.dropped.length} of the ${listing.tools.length} tools of ${appId} are dropped.`,
    hint: first.hint,
    causes: built.dropped.map(({ message }) => message),
  }
}

// Nobody has said what kind of server it is: that is a matter of the provider, though its tools carry the hold.
function heldAsWhole({ entries }: BuiltProvider): Hold | undefined {
  const holds = entries.map((entry) => entry.holds.find(({ by }) => by === 'noPreset'))
  return holds.every((hold) => hold !== undefined) ? holds[0] : undefined
}

function lineOf({ claim, durationMs }: Listed, detail: string) {
  return {
    appId: claim.appId,
    plugin: claim.plugin,
    version: claim.version,
    kind: claim.provider.kind === 'mcp' ? ('mcp' as const) : ('builtin' as const),
    source: claim.source,
    durationMs,
    from: placeOf(claim, detail),
  }
}

// The key of the configuration says no more than the appId beside it.
function placeOf({ from, source }: Listed['claim'], detail: string): string {
  if (detail === '') return from
  return source === 'configured' ? detail : `${from} → ${detail}`
}
