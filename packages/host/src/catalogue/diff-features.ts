import type { Catalogue, FeatureEntry } from './catalogue.ts'

/** Which lists besides those of tools may look otherwise to somebody. */
export interface FeatureDiff {
  readonly prompts: boolean
  readonly resources: boolean
}

/** Compares two generations. Who may see what counts too. */
export function diffFeatures(before: Pick<Catalogue, 'features'>, after: Pick<Catalogue, 'features'>): FeatureDiff {
  const differs = (say: (entry: FeatureEntry) => unknown) => textOf(before, say) !== textOf(after, say)
  return {
    prompts: differs(({ prompts }) => [...prompts]),
    resources: differs(({ resources, templates }) => [[...resources], [...templates]]),
  }
}

function textOf({ features }: Pick<Catalogue, 'features'>, say: (entry: FeatureEntry) => unknown): string {
  return JSON.stringify([...features.values()].map((entry) => [entry.appId, entry.traits, entry.holds, say(entry)]))
}
