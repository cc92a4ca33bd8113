import type { Catalogue } from '../catalogue/catalogue.ts'
import { publishedAddress, sharedAddresses } from './addresses.ts'
import type { FeatureList } from './feature-runtime.ts'
import { type Consumer, featuresSeenBy } from './seen-by.ts'

// A catalogue is replaced whole, so what it offers to one kind of consumer never changes.
const maxConsumers = 64
const listed = new WeakMap<Catalogue, Map<string, FeatureList>>()

/** What a consumer is shown besides tools, in the order of the catalogue. */
export function listFeatures(catalogue: Catalogue, who: Consumer): FeatureList {
  const byConsumer = listed.get(catalogue) ?? new Map<string, FeatureList>()
  listed.set(catalogue, byConsumer)
  // All that the rules look at.
  const key = JSON.stringify([who.profile, who.principal.admin === true, who.allow])
  const known = byConsumer.get(key)
  if (known !== undefined) return known
  const made = listFor(catalogue, who)
  if (byConsumer.size >= maxConsumers) byConsumer.clear()
  byConsumer.set(key, made)
  return made
}

function listFor(catalogue: Catalogue, who: Consumer): FeatureList {
  const seen = featuresSeenBy(catalogue, who)
  const shared = sharedAddresses(seen)
  return Object.freeze({
    prompts: seen.flatMap(({ appId, prompts }) =>
      [...prompts].map(([name, { original, definition }]) => ({ name, original, appId, definition })),
    ),
    resources: seen.flatMap(({ appId, resources }) =>
      [...resources].map(([original, definition]) => {
        return { uri: publishedAddress(appId, original, shared), original, appId, definition }
      }),
    ),
    templates: seen.flatMap(({ appId, templates }) =>
      [...templates].map(([original, definition]) => {
        return { uriTemplate: publishedAddress(appId, original, shared), original, appId, definition }
      }),
    ),
    instructions: seen.flatMap(({ appId, instructions }) =>
      instructions === undefined ? [] : [{ appId, text: instructions }],
    ),
  })
}
