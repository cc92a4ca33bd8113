import type { FeatureEntry } from '../catalogue/catalogue.ts'
import { addressFault, isAmbiguousPath } from '../catalogue/check-address.ts'
import { matchTemplate } from './match-template.ts'
import { resourceName } from './seen-by.ts'

/** What an address means to somebody. */
export type Meaning =
  /** `unseen`: of a provider, or by a template, that the consumer does not see. */
  | { readonly kind: 'one'; readonly entry: FeatureEntry; readonly original: string; readonly unseen?: true }
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
 * Finds whose address this is. The qualified form belongs to the provider that it names, whoever else lists a text of
 * that form; one that is listed counts before one that a template matches. What could mean two is never guessed.
 */
export function meaningOf(address: string, entries: readonly FeatureEntry[]): Meaning {
  if (addressFault(address) !== undefined) return { kind: 'none' }
  const [, appId = '', original = ''] = /^([a-z][a-z0-9-]{0,31})\+(.+)$/.exec(address) ?? []
  const named = entries.find((entry) => entry.appId === appId)
  if (named !== undefined) return has(named, original) ? { kind: 'one', entry: named, original } : { kind: 'none' }
  const listed = entries.filter((entry) => entry.resources.has(address) || entry.templates.has(address))
  const plain = listed.length > 0 ? listed : entries.filter((entry) => matchesTemplate(entry, address))
  if (plain.length > 1) return { kind: 'several', appIds: plain.map((entry) => entry.appId) }
  const [only] = plain
  return only === undefined ? { kind: 'none' } : { kind: 'one', entry: only, original: address }
}

function has(entry: FeatureEntry, address: string): boolean {
  return entry.resources.has(address) || entry.templates.has(address) || matchesTemplate(entry, address)
}

/** An address with two readings is matched by no template: which one a pattern of a profile meant can't be told. */
function matchesTemplate({ templates }: FeatureEntry, uri: string): boolean {
  if (isAmbiguousPath(uri)) return false
  return [...templates.keys()].some((template) => matchTemplate(template, uri))
}
