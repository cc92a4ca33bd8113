import type { Finding } from '@rollcall/plugin'
import type { LegacyScanOptions } from '../../host-options.ts'
import { describeThrown } from '../../isolation/describe-thrown.ts'
import type { Claim } from '../claim.ts'
import type { LegacyScan } from '../legacy-room.ts'
import { candidates, nameOf, type Target, type Winner } from './candidates.ts'
import { deprecations } from './deprecations.ts'
import { type Found, type ProbeLimits, probe } from './probe.ts'
import { cacheKey, createScanCache, type ScanCache } from './scan-cache.ts'
import { supersededClaims } from './superseded-claims.ts'

type ScanInput = Parameters<LegacyScan['scan']>[0]

/** What a scan found, and what it cost. */
export interface ScanResult extends Awaited<ReturnType<LegacyScan['scan']>> {
  /** Candidates that were looked at; a warm scan looks at one a winner. */
  readonly probes: number
  /** Those of them that were not there, which is the expected case. */
  readonly misses: number
}

/** Makes a scan, with the memory of its winners. Mode `off` finds nothing. */
export function createScan(
  { mode, cacheTtlSeconds }: LegacyScanOptions,
  cache: ScanCache = createScanCache(cacheTtlSeconds),
): { scan(input: ScanInput): Promise<ScanResult> } {
  return {
    async scan(input) {
      if (mode === 'off') return nothing
      try {
        const { found, ...rest } = await scanAll(input, cache)
        return {
          ...rest,
          claims: found.map(toClaim),
          findings: [...rest.findings, ...deprecations(found, mode)],
        }
      } catch (error) {
        return { ...nothing, findings: [scanFailed(error)] }
      }
    },
  }
}

const nothing: ScanResult = { claims: [], findings: [], superseded: [], probes: 0, misses: 0 }

interface Scanned extends Omit<ScanResult, 'claims'> {
  readonly found: readonly Found[]
}

async function scanAll({ plugins, announced, clock, limitMs }: ScanInput, cache: ScanCache): Promise<Scanned> {
  const targets = plugins.flatMap(({ plugin, container }) =>
    plugin.appIds.map((appId) => ({ plugin, appId, container })),
  )
  const key = cacheKey(plugins.map(({ plugin }) => plugin))
  const known = cache.read(key, clock.now())

  const pending = targets.filter(({ appId }) => !announced.has(appId))
  const searches = await Promise.all(
    pending.map((target) => search(target, known.get(memoryName(target)), { clock, limitMs })),
  )
  const learnt = searches.filter(({ news }) => news)
  if (learnt.length > 0) {
    const winners = new Map(known)
    // A fault is looked at again every time: it stays reported, and its correction is seen at once.
    for (const { target, found, faults } of learnt)
      if (faults.length > 0) winners.delete(memoryName(target))
      else winners.set(memoryName(target), found?.winner ?? null)
    cache.write(key, winners, clock.now())
  }
  return {
    found: searches.flatMap(({ found }) => found ?? []),
    findings: searches.flatMap(({ faults }) => faults),
    superseded: targets.filter(({ appId }) => announced.has(appId)).flatMap(supersededClaims),
    probes: searches.reduce((sum, { probes }) => sum + probes, 0),
    misses: searches.reduce((sum, { misses }) => sum + misses, 0),
  }
}

interface Search {
  readonly target: Target
  readonly found: Found | undefined
  readonly faults: readonly Finding[]
  /** Whether this is anything else than what was remembered. */
  readonly news: boolean
  readonly probes: number
  readonly misses: number
}

/** Looks where the provider was found before; where it isn't any more, and the first time, at all candidates. */
async function search(target: Target, known: Winner | null | undefined, limits: ProbeLimits): Promise<Search> {
  const count = { probes: 0, misses: 0 }
  if (known === null) return { target, found: undefined, faults: [], news: false, ...count }
  const faults: Finding[] = []
  if (known !== undefined) {
    count.probes++
    const probed = await probe(known, target, limits)
    if (probed.kind === 'found') return { target, found: probed.found, faults, news: false, ...count }
    if (probed.kind === 'missed') count.misses++
  }
  for (const candidate of candidates) {
    count.probes++
    const probed = await probe(candidate, target, limits)
    if (probed.kind === 'found') return { target, found: probed.found, faults, news: true, ...count }
    if (probed.kind === 'invalid') faults.push(probed.finding)
    else count.misses++
  }
  return { target, found: undefined, faults, news: true, ...count }
}

// The name of the plugin belongs to it: what one plugin gave must never be looked for in another.
function memoryName({ plugin, appId }: Target): string {
  return `${plugin.name} ${appId}`
}

function toClaim({ target: { plugin, appId }, winner, provider }: Found): Claim {
  const { name, version, order, from } = plugin
  return {
    appId,
    plugin: name,
    version,
    source: 'legacy',
    order,
    provider,
    from: `${from} (${nameOf(winner, plugin)})`,
  }
}

function scanFailed(error: unknown): Finding {
  const { message, causes } = describeThrown(error)
  return {
    code: 'LEGACY_SCAN_FAILED',
    severity: 'error',
    about: {},
    phase: 'scan',
    message: 'The legacy scan failed as a whole, so no provider was looked for by its container alias.',
    hint: 'What was announced stands. Correct what the causes say, or set "legacyScan" to "off".',
    causes: [message, ...causes],
  }
}
