import type { JsonObject } from '@rollcall/plugin'
import { diffTools } from './diff-tools.ts'
import { isCompatible } from './is-compatible.ts'
import { promptAsTool } from './prompt-as-tool.ts'

/** How two definitions of one tool or prompt differ. */
export interface Difference {
  /** In lines for a person. */
  readonly diff: readonly string[]
  /** Old arguments are still valid, and nothing hides in the new texts. */
  readonly isCompatible: boolean
}

// Neither definition is ever changed, and both are looked at again before every call.
const known = new WeakMap<JsonObject, WeakMap<JsonObject, Difference>>()

/** Compares a pinned definition with that of a running server. */
export function compareDefinitions(kind: 'tool' | 'prompt', pinned: JsonObject, live: JsonObject): Difference {
  const ofPinned = known.get(pinned) ?? new WeakMap<JsonObject, Difference>()
  known.set(pinned, ofPinned)
  const before = ofPinned.get(live)
  if (before !== undefined) return before
  const [was, is] = kind === 'tool' ? [pinned, live] : [promptAsTool(pinned), promptAsTool(live)]
  const difference = { diff: diffTools(was, is), isCompatible: isCompatible(was, is) }
  ofPinned.set(live, difference)
  return difference
}
