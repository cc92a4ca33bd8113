import { type Finding, type OperatorWords, RollcallError } from '@rollcall/plugin'
import { nearest } from '../config/nearest.ts'
import type { HostOptions, ProviderEntry } from '../host-options.ts'
import { appIdRule, parseAppId } from '../plugins/app-id.ts'
import type { Claim } from './claim.ts'
import { normaliseAppId, type Roll } from './take-roll.ts'

/** What the configuration's `providers` say: servers of its own, and words about whoever holds an appId. */
export interface ConfiguredClaims {
  /** The entries that declare a server. Their order is negative, so that they precede every plugin. */
  readonly claims: readonly Claim[]
  /** The operator's words of every entry, by normalised appId. */
  readonly wordsFor: ReadonlyMap<string, OperatorWords>
  /** When the server of an appId is pinned, for the entries that say so. */
  readonly pinFor: ReadonlyMap<string, 'first-use' | 'manual'>
}

/**
 * Reads the map of providers of the configuration.
 *
 * @throws {RollcallError} `CONFIG_INVALID` with all keys that are no appId, or that meet in one.
 */
export function configuredClaims(providers: HostOptions['providers'] = {}): ConfiguredClaims {
  const entries = Object.entries(providers).map(([key, entry]) => ({ key, appId: normaliseAppId(key), entry }))
  refuseBadKeys(entries)

  const claims = entries.flatMap(({ key, appId, entry }, index) =>
    entry.server === undefined ? [] : [toClaim(key, appId, entry.server, index - entries.length)],
  )
  const wordsFor = new Map(entries.map(({ appId, entry }) => [appId, wordsOf(entry)]))
  const pinFor = new Map(
    entries.flatMap(({ appId, entry }) => (entry.pin === undefined ? [] : [[appId, entry.pin] as const])),
  )
  return { claims, wordsFor, pinFor }
}

/**
 * Findings about words that nobody is there to take.
 *
 * @param failed appIds of plugins that failed: those have a finding of their own.
 */
export function unclaimedWords(
  words: ConfiguredClaims['wordsFor'],
  roll: Roll,
  failed: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  const held = roll.winners.map(({ appId }) => appId)
  const accounted = new Set([...held, ...roll.losers.map(({ claim }) => normaliseAppId(claim.appId)), ...failed])
  return [...words.keys()].filter((appId) => !accounted.has(appId)).map((appId) => unknownProvider(appId, held))
}

function refuseBadKeys(entries: readonly { readonly key: string; readonly appId: string }[]): void {
  const first = new Map<string, string>()
  const faults = entries.flatMap(({ key, appId }) => {
    if (parseAppId(appId) === undefined) return [`providers[${JSON.stringify(key)}] is no appId`]
    const other = first.get(appId)
    if (other !== undefined) return [`providers.${key} and providers.${other} are one appId`]
    first.set(appId, key)
    return []
  })
  if (faults.length > 0)
    throw new RollcallError('CONFIG_INVALID', `${faults.join('; ')}.`, {
      hint: `Correct these keys of "providers": an appId is ${appIdRule}, and case makes no difference.`,
    })
}

function toClaim(key: string, appId: string, server: NonNullable<ProviderEntry['server']>, order: number): Claim {
  return {
    appId,
    plugin: 'configuration',
    version: '',
    source: 'configured',
    order,
    provider: { kind: 'mcp', appId, server },
    from: `providers.${key}`,
  }
}

function wordsOf({ server: _server, pin: _pin, ...words }: ProviderEntry): OperatorWords {
  return words
}

function unknownProvider(appId: string, held: readonly string[]): Finding {
  const meant = nearest(appId, held)
  return {
    code: 'PROVIDER_UNKNOWN',
    severity: 'warn',
    about: { appId },
    phase: 'dedupe',
    message: `providers.${appId} has words about an appId that nobody holds${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    hint:
      meant === undefined
        ? `Add the plugin that offers "${appId}" to "plugins", or a server ("command" or "url") to providers.${appId}.`
        : `Rename providers.${appId} to providers.${meant}, or add the plugin that offers "${appId}" to "plugins".`,
    causes: [],
  }
}
