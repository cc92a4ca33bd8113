import type { Catalogue, FeatureEntry } from '../catalogue/catalogue.ts'
import { decide } from '../gate/decide.ts'
import type { GateQuestion, GateSubject } from '../gate/gate.ts'
import { subjectOf } from '../gate/to-subject.ts'

/** By whose name and rules something is looked at. */
export type Consumer = Omit<GateQuestion, 'subject' | 'argumentsAsk'>

/** The name under which patterns of a profile know a resource. */
export function resourceName(appId: string, uri: string): string {
  return `${appId}+${uri}`
}

/** Whether a consumer may use it now; what would have to ask a person counts as no. */
export function isAllowed(entry: FeatureEntry, kind: GateSubject['kind'], name: string, who: Consumer): boolean {
  return decide({ ...who, subject: subjectOf(entry, kind, name) }).verdict === 'allow'
}

/** The part of each provider that a consumer sees, in the order of the catalogue. */
export function featuresSeenBy(catalogue: Catalogue, who: Consumer): readonly FeatureEntry[] {
  return [...catalogue.features.values()].flatMap((entry) => {
    const seen = seenOf(entry, who)
    return seen === undefined ? [] : [seen]
  })
}

function seenOf(entry: FeatureEntry, who: Consumer): FeatureEntry | undefined {
  // Without patterns one verdict holds for all that a provider has.
  if (who.profile.allow === undefined && who.allow === undefined) {
    return isAllowed(entry, 'resource', resourceName(entry.appId, ''), who) ? entry : undefined
  }
  const prompts = filterKeys(entry.prompts, (name) => isAllowed(entry, 'prompt', name, who))
  const mayRead = (uri: string) => isAllowed(entry, 'resource', resourceName(entry.appId, uri), who)
  const resources = filterKeys(entry.resources, mayRead)
  const templates = filterKeys(entry.templates, mayRead)
  const mayAll = mayRead('')
  if (prompts.size + resources.size + templates.size === 0 && !mayAll) return undefined
  const { instructions: _, ...rest } = entry
  return {
    ...rest,
    prompts,
    resources,
    templates,
    ...(mayAll && entry.instructions !== undefined && { instructions: entry.instructions }),
  }
}

function filterKeys<T>(map: ReadonlyMap<string, T>, isKept: (key: string) => boolean): ReadonlyMap<string, T> {
  return new Map([...map].filter(([key]) => isKept(key)))
}
