import type { FeatureEntry } from '../catalogue/catalogue.ts'
import { matchTemplate } from './match-template.ts'
import { resourceName } from './seen-by.ts'

/** What an address means to somebody. */
export type Meaning =
  | { readonly kind: 'one'; readonly entry: FeatureEntry; readonly original: string }
  | { readonly kind: 'several'; readonly appIds: readonly string[] }
  | { readonly kind: 'none' }

/** Addresses that more than one of these providers has: they are published in their qualified form. */
export function sharedAddresses(
  entries: readonly Pick<FeatureEntry, 'resources' | 'templates'>[],
): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { resources, templates } of entries) {
    for (const address of [...resources.keys(), ...templates.keys()]) {
      if (seen.has(address)) shared.add(address)
      seen.add(address)
    }
  }
  return shared
}

/** The form in which an address is published. */
export function publishedAddress(appId: string, original: string, shared: ReadonlySet<string>): string {
  return shared.has(original) ? resourceName(appId, original) : original
}

/**
 * Finds whose address this is: one that is listed before one that a template matches, and the plain form before the
 * qualified one. What could mean two is never guessed.
 */
export function meaningOf(address: string, entries: readonly FeatureEntry[]): Meaning {
  const listed = entries.filter((entry) => entry.resources.has(address) || entry.templates.has(address))
  const plain = listed.length > 0 ? listed : entries.filter((entry) => matchesTemplate(entry, address))
  if (plain.length > 1) return { kind: 'several', appIds: plain.map(({ appId }) => appId) }
  const [only] = plain
  if (only !== undefined) return { kind: 'one', entry: only, original: address }
  const [, appId = '', original = ''] = /^([a-z][a-z0-9-]{0,31})\+(.+)$/.exec(address) ?? []
  const named = entries.find((entry) => entry.appId === appId)
  if (named === undefined) return { kind: 'none' }
  const has = named.resources.has(original) || named.templates.has(original) || matchesTemplate(named, original)
  return has ? { kind: 'one', entry: named, original } : { kind: 'none' }
}

function matchesTemplate({ templates }: FeatureEntry, uri: string): boolean {
  return [...templates.keys()].some((template) => matchTemplate(template, uri))
}
