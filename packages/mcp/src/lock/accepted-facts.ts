import { canonicalJson, type Digest, digestOf, type JsonObject } from '@rollcall/plugin'
import type { Acceptance } from './acceptance.ts'
import type { LockEntry } from './lock-entry.ts'
import { digestOfPinned, soundDigest } from './pinned-digest.ts'

/** The part of an acceptance that is about what a server offers. */
export type AcceptedFacts = Pick<Acceptance, 'tools' | 'prompts' | 'features'>

/** What it means to accept an entry as it stands; a tool whose written digest isn't its own is not part of that. */
export function acceptedFacts(entry: LockEntry): AcceptedFacts {
  const tools = entry.tools.map((tool) => [tool.name, soundDigest(tool)] as const)
  const prompts = entry.prompts.map((prompt) => [String(prompt.name), digestOfPinned(prompt)] as const)
  const features = featuresDigest(entry)
  return { tools: known(tools), prompts: known(prompts), ...(features !== undefined && { features }) }
}

/** Tells whether instructions, templates and resources of the entry are those that were accepted. */
export function areFeaturesAccepted(entry: LockEntry, acceptance: Acceptance | undefined): boolean {
  return acceptance !== undefined && acceptance.features === featuresDigest(entry)
}

function featuresDigest({ instructions = '', templates, resources }: LockEntry): Digest | undefined {
  if (instructions === '' && templates.length === 0 && resources.length === 0) return undefined
  // Read from JSON text or listed with a digest of their own, so that they have a canonical text.
  return digestOf({ instructions, templates: inOrder(templates), resources: inOrder(resources) })
}

/** The file has an order of its own. */
function inOrder(items: readonly JsonObject[]): readonly JsonObject[] {
  return items
    .map((item) => [canonicalJson(item), item] as const)
    .sort(byText)
    .map(([, item]) => item)
}

function byText([one]: readonly [string, JsonObject], [other]: readonly [string, JsonObject]): number {
  return one < other ? -1 : 1
}

function known(digests: readonly (readonly [string, Digest | undefined])[]): Readonly<Record<string, Digest>> {
  const sound = digests.flatMap(([name, digest]) => (digest === undefined ? [] : [[name, digest] as const]))
  return Object.fromEntries(sound)
}
