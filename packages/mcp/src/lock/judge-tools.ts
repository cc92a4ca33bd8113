import type { Capability } from '@rollcall/host'
import type { Digest, JsonObject } from '@rollcall/plugin'
import { compareDefinitions } from '../drift/compare-definitions.ts'
import { covers } from '../listing/classed-list.ts'
import type { LiveList } from '../listing/live-list.ts'
import { abilitiesOf, bareClass } from '../pool/capability-class.ts'
import type { Acceptance } from './acceptance.ts'
import type { LockEntry } from './lock-entry.ts'
import { digestOfPinned, soundDigest } from './pinned-digest.ts'

/** What a running server lists, by the class of client to whom it was listed. */
export type LiveLists = ReadonlyMap<string, LiveList>

/** One tool or prompt, and why it can't be used, if it can't. */
export interface JudgedTool {
  readonly name: string
  /** The pinned definition; of what is not pinned, the server's. */
  readonly definition: JsonObject
  readonly needs: readonly Capability[]
  /** A person looked at this very definition and accepted it. */
  readonly isReviewed: boolean
  /**
   * `new`: nobody accepted it. `edited`: the lock file is not what was accepted. `changed`, `gone`: the running server
   * does not list what is pinned.
   */
  readonly fault?: 'new' | 'edited' | 'changed' | 'gone'
  /** How the running server describes it otherwise. Without a fault: old arguments are still valid. */
  readonly diff?: readonly string[]
}

/** By what one server's tools and prompts are judged. */
export interface Evidence {
  readonly entry: LockEntry
  readonly acceptance: Acceptance | undefined
  readonly lives: LiveLists
  /** The names of all that the server has listed to each class of clients since it was looked at. */
  readonly everListed: { readonly [kind in 'tool' | 'prompt']: ReadonlyMap<string, ReadonlySet<string>> }
  /** Also what is still compatible is held. */
  readonly isStrict: boolean
}

/**
 * Compares what is pinned, what was accepted and what the running server lists: a tool is free if all three agree, or
 * if the server's own definition differs so little that the pinned one can stay in service.
 */
export function judgeTools(evidence: Evidence): readonly JudgedTool[] {
  const pinned = evidence.entry.tools.map((tool) => ({ ...tool, digest: soundDigest(tool) }))
  return judgeAll(evidence, 'tool', pinned, evidence.acceptance?.tools, (live) =>
    [...live.tools.values()].map(({ name, definition }) => [name, definition]),
  )
}

/** The same for prompts. */
export function judgePrompts(evidence: Evidence): readonly JudgedTool[] {
  const pinned = evidence.entry.prompts.map((definition) => {
    return { name: String(definition.name), definition, digest: digestOfPinned(definition), needs: [] }
  })
  return judgeAll(evidence, 'prompt', pinned, evidence.acceptance?.prompts, (live) =>
    live.prompts.map((definition) => [String(definition.name), definition]),
  )
}

interface Pinned extends Pick<JudgedTool, 'name' | 'definition' | 'needs'> {
  /** Nothing where the file contradicts itself. */
  readonly digest: Digest | undefined
}

interface Seen {
  readonly capabilityClass: string
  readonly before: ReadonlySet<string>
  readonly listed: ReadonlyMap<string, JsonObject>
}

function judgeAll(
  { acceptance, lives, everListed, isStrict }: Evidence,
  kind: 'tool' | 'prompt',
  pinned: readonly Pinned[],
  accepted: Readonly<Record<string, Digest>> = {},
  listedIn: (live: LiveList) => readonly (readonly [string, JsonObject])[],
): readonly JudgedTool[] {
  const seen = [...lives].map(([capabilityClass, live]): Seen => {
    const before = everListed[kind].get(capabilityClass) ?? new Set()
    return { capabilityClass, before, listed: new Map(listedIn(live)) }
  })
  const judged = pinned.map(({ name, definition, digest, needs }): JudgedTool => {
    const was = Object.hasOwn(accepted, name) ? accepted[name] : undefined
    const tool = { name, definition, needs, isReviewed: false }
    if (digest === undefined) return { ...tool, fault: 'edited' }
    if (was === undefined) return { ...tool, fault: 'new' }
    if (was !== digest) return { ...tool, fault: 'edited' }
    const drift = driftOf(kind, { name, definition, digest, needs }, seen, isStrict)
    return { ...tool, isReviewed: drift.fault === undefined && acceptance?.reviewed === true, ...drift }
  })
  return [...judged, ...addedIn(seen, new Set(pinned.map(({ name }) => name)))]
}

function driftOf(
  kind: 'tool' | 'prompt',
  { name, definition, digest, needs }: Pinned,
  seen: readonly Seen[],
  isStrict: boolean,
): Pick<JudgedTool, 'fault' | 'diff'> {
  const listed = seen.flatMap(({ listed: all }): readonly JsonObject[] => {
    const live = all.get(name)
    return live === undefined ? [] : [live]
  })
  // One that is listed for other clients only is not gone.
  if (listed.length === 0) {
    const isMissed = seen.some(({ capabilityClass, before }) => before.has(name) || isExpected(capabilityClass, needs))
    return isMissed ? { fault: 'gone' } : {}
  }
  const differences = listed
    .filter((live) => digestOfPinned(live) !== digest)
    .map((live) => compareDefinitions(kind, definition, live))
  const worst = differences.find(({ isCompatible }) => !isCompatible) ?? differences[0]
  if (worst === undefined) return {}
  return worst.isCompatible && !isStrict ? { diff: worst.diff } : { fault: 'changed', diff: worst.diff }
}

/** Tells whether clients of this class are those to whom a tool with these needs was listed when it was pinned. */
export function isExpected(capabilityClass: string, needs: readonly Capability[]): boolean {
  // A server may also list less to those who can do more.
  return needs.length === 0 ? capabilityClass === bareClass : covers(capabilityClass, needs)
}

function addedIn(seen: readonly Seen[], known: ReadonlySet<string>): readonly JudgedTool[] {
  const added = new Map<string, JudgedTool>()
  const bareFirst = seen.toSorted((one, other) => one.capabilityClass.length - other.capabilityClass.length)
  for (const { capabilityClass, listed } of bareFirst) {
    const needs = [...abilitiesOf(capabilityClass)]
    for (const [name, definition] of listed) {
      if (known.has(name) || added.has(name)) continue
      added.set(name, { name, definition, needs, isReviewed: false, fault: 'new' })
    }
  }
  return [...added.values()]
}
