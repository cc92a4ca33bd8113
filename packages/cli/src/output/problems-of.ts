import type { Report } from '@rollcall/host'
import type { Finding } from '@rollcall/plugin'
import { bySeverity } from './finding-lines.ts'

/** What needs somebody, the worst first: findings that are no mere notices, and providers that are held. */
export function problemsOf({ findings, providers }: Pick<Report, 'findings' | 'providers'>): readonly Finding[] {
  const worth = findings.filter(({ severity }) => severity !== 'info')
  const told = new Set(worth.map(({ about }) => about.appId))
  const held = providers.flatMap((provider): Finding[] => {
    const { appId, plugin, state, code, message, hint, causes } = provider
    if (state !== 'held' || told.has(appId) || code === undefined) return []
    const text = { message: message ?? `${appId} is held.`, hint: hint ?? `rollcall sync ${appId}` }
    return [{ code, severity: 'warn', about: { appId, plugin }, phase: provider.phase ?? 'validate', causes, ...text }]
  })
  return bySeverity([...worth, ...held])
}
