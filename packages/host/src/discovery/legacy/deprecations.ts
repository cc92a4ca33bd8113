import type { Finding } from '@rollcall/plugin'
import type { LegacyScanOptions } from '../../host-options.ts'
import { nameOf } from './candidates.ts'
import type { Found } from './probe.ts'

/** One finding for each plugin that is still found by a scan; none in the modes that don't ask for it. */
export function deprecations(found: readonly Found[], mode: LegacyScanOptions['mode']): readonly Finding[] {
  if (mode !== 'warn' && mode !== 'error') return []
  const byPlugin = Map.groupBy(found, ({ target }) => target.plugin)
  return [...byPlugin].map(([plugin, providers]) => {
    const appIds = providers.map(({ target }) => target.appId)
    const ways = [...new Set(providers.map(({ winner }) => nameOf(winner, plugin)))]
    return {
      code: 'LEGACY_ALIAS',
      migration: 'MIG001',
      severity: mode,
      about: { plugin: plugin.name, ...(appIds[0] !== undefined && { appId: appIds[0] }) },
      phase: 'scan',
      message: `${listed(appIds)} ${appIds.length === 1 ? 'is still found by its' : 'are still found by their'} ${listed(ways)}.`,
      hint: 'Announce it from a listener of RegisterToolProvidersEvent: see examples/04-legacy-beside-migrated.',
      causes: [],
    }
  })
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
