import type { Finding } from '@rollcall/plugin'
import { reservedAppIds } from '../plugins/reserved-app-ids.ts'
import type { Claim, Source } from './claim.ts'

/** The settled list of claims: one winner an appId, and a reason for everyone else. */
export interface Roll {
  /** By configuration order; appIds are normalised. */
  readonly winners: readonly Claim[]
  readonly losers: readonly Loser[]
}

export interface Loser {
  readonly claim: Claim
  readonly state: 'skipped' | 'rejected'
  readonly finding: Finding
}

/** The claims by the way they were found; `superseded`: aliases of appIds that were announced as well. */
export interface Claims {
  readonly host: readonly Claim[]
  readonly configured: readonly Claim[]
  readonly announced: readonly Claim[]
  readonly legacy: readonly Claim[]
  readonly superseded: readonly Claim[]
}

/**
 * Settles who holds which appId. Pure: the same claims give the same roll, in whatever order they arrived.
 *
 * The host comes first, then what is configured, announced, found by the legacy scan; within each the smaller `order`.
 */
export function takeRoll(claims: Claims): Roll {
  const { host, configured, announced, legacy, superseded } = claims
  const queue = [host, configured, announced, legacy, superseded].flatMap((found) => found.toSorted(byOrder))
  const winners = new Map<string, Claim>()
  const losers: Loser[] = []

  for (const claim of queue) {
    const appId = normaliseAppId(claim.appId)
    const winner = winners.get(appId)
    if (claim.source !== 'host' && reserved.has(appId)) losers.push(reject(claim))
    else if (winner !== undefined) losers.push(skip(claim, winner))
    else winners.set(appId, claim)
  }
  const normalised = [...winners].map(([appId, claim]) => (claim.appId === appId ? claim : { ...claim, appId }))
  return { winners: normalised.sort(byPlace), losers }
}

/** The one spelling under which appIds are compared: lower case, composed characters. */
export function normaliseAppId(appId: string): string {
  return appId.normalize('NFC').toLowerCase().normalize('NFC')
}

const reserved: ReadonlySet<string> = new Set(reservedAppIds.map(normaliseAppId))

const rank: Readonly<Record<Source, number>> = { host: 0, configured: 1, announced: 2, legacy: 3 }

function byOrder(one: Claim, other: Claim): number {
  // Not a subtraction: the difference of two infinities is no number.
  return one.order < other.order ? -1 : one.order > other.order ? 1 : 0
}

function byPlace(one: Claim, other: Claim): number {
  return byOrder(one, other) || rank[one.source] - rank[other.source] || (one.appId < other.appId ? -1 : 1)
}

function reject(claim: Claim): Loser {
  return {
    claim,
    state: 'rejected',
    finding: {
      code: 'PROVIDER_RESERVED',
      migration: 'MIG007',
      severity: 'error',
      about: { plugin: claim.plugin, appId: claim.appId },
      phase: 'dedupe',
      message: `${placeOf(claim)} claims "${claim.appId}", which is reserved for the host.`,
      hint:
        claim.source === 'configured'
          ? `Choose another key than "${claim.appId}" under "providers".`
          : `Choose another appId in package.json#rollcall.appId of ${claim.plugin}.`,
      causes: [],
    },
  }
}

function skip(claim: Claim, winner: Claim): Loser {
  const { appId, plugin } = claim
  const finding =
    claim.source === 'legacy' && winner.source === 'announced'
      ? {
          code: 'PROVIDER_SUPERSEDED' as const,
          migration: 'MIG002' as const,
          severity: 'info' as const,
          message: `The container alias of "${appId}" in ${claim.from} is superseded: ${placeOf(winner)} announces it.`,
          hint: `Remove the registration of ToolProvider::${appId} from ${plugin}.`,
        }
      : {
          code: 'PROVIDER_DUPLICATE' as const,
          migration: appId === winner.appId ? ('MIG015' as const) : ('MIG008' as const),
          severity: 'warn' as const,
          message: `"${appId}" of ${placeOf(claim)} is skipped: ${placeOf(winner)} holds ${spelling(appId, winner)}.`,
          hint: hintFor(claim, winner),
        }
  return { claim, state: 'skipped', finding: { ...finding, about: { plugin, appId }, phase: 'dedupe', causes: [] } }
}

function placeOf({ plugin, from, source }: Claim): string {
  if (source === 'host') return 'the host itself'
  if (source === 'configured') return `the configuration (${from})`
  return from === plugin ? `${plugin} (${source})` : `${plugin} (${source}, ${from})`
}

function spelling(appId: string, winner: Claim): string {
  return appId === winner.appId ? 'it' : `it as "${winner.appId}"`
}

function hintFor(claim: Claim, winner: Claim): string {
  if (winner.source === 'configured')
    return `Remove the server of ${winner.from} so that it holds words only, or give it another key.`
  if (winner.plugin === claim.plugin) return `Announce "${winner.appId}" once; ${claim.plugin} lays two claims to it.`
  return `Rename one of the two appIds, or remove ${claim.plugin} or ${winner.plugin} from "plugins".`
}
