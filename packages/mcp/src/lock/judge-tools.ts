import { type Digest, digestOf, type JsonObject } from '@rollcall/plugin'
import type { LiveList } from '../listing/live-list.ts'
import type { Acceptance } from './acceptance.ts'
import type { LockEntry, LockedTool } from './lock-entry.ts'

/** One tool, and why it can't be used, if it can't. */
export interface JudgedTool {
  readonly name: string
  /** The pinned definition; of a tool that is not pinned, the server's. */
  readonly definition: JsonObject
  /** A person looked at this very definition and accepted it. */
  readonly isReviewed: boolean
  /**
   * `new`: nobody accepted it. `edited`: the lock file is not what was accepted. `changed`, `gone`: the running server
   * does not list what is pinned.
   */
  readonly fault?: 'new' | 'edited' | 'changed' | 'gone'
}

/** Compares what is pinned, what was accepted and what the running server lists: a tool is free if all three agree. */
export function judgeTools(
  entry: LockEntry,
  acceptance: Acceptance | undefined,
  live: LiveList | undefined,
): readonly JudgedTool[] {
  const pinned = entry.tools.map((tool): JudgedTool => {
    const fault = faultOf(tool, acceptance, live)
    const isReviewed = fault === undefined && acceptance?.reviewed === true
    return { name: tool.name, definition: tool.definition, isReviewed, ...(fault !== undefined && { fault }) }
  })
  const names = new Set(entry.tools.map(({ name }) => name))
  const added = [...(live?.tools.values() ?? [])]
    .filter(({ name }) => !names.has(name))
    .map(({ name, definition }): JudgedTool => ({ name, definition, isReviewed: false, fault: 'new' }))
  return [...pinned, ...added]
}

/** Recomputed from the definition: a digest that stands in the file proves nothing. */
export function digestOfPinned({ definition }: LockedTool): Digest | undefined {
  try {
    return digestOf(definition)
  } catch {
    return undefined
  }
}

function faultOf(
  tool: LockedTool,
  acceptance: Acceptance | undefined,
  live: LiveList | undefined,
): JudgedTool['fault'] {
  const digest = digestOfPinned(tool)
  const accepted = acceptedDigest(acceptance, tool.name)
  if (digest === undefined || digest !== tool.digest) return 'edited'
  if (accepted === undefined) return 'new'
  if (accepted !== digest) return 'edited'
  if (live === undefined) return undefined
  const listed = live.tools.get(tool.name)
  if (listed === undefined) return 'gone'
  return listed.digest === digest ? undefined : 'changed'
}

function acceptedDigest(acceptance: Acceptance | undefined, name: string): Digest | undefined {
  return acceptance !== undefined && Object.hasOwn(acceptance.tools, name) ? acceptance.tools[name] : undefined
}
