import type { Host } from '@rollcall/host'
import type { Finding } from '@rollcall/plugin'

/** The plugins that are still found by their container alias where `legacyScan` is `error`: a service then must not stay up. */
export function unmigrated(host: Host): readonly Finding[] {
  return host.report().findings.filter(({ code, severity }) => code === 'LEGACY_ALIAS' && severity === 'error')
}
