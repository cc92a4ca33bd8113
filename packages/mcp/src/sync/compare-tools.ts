import type { Digest, Json, JsonObject } from '@rollcall/plugin'
import { visibleText } from '@rollcall/plugin'
import { compareDefinitions } from '../drift/compare-definitions.ts'
import { isJsonObject } from '../is-json-object.ts'
import type { ClassedList } from '../listing/classed-list.ts'
import type { LiveTool } from '../listing/live-list.ts'
import { isExpected } from '../lock/judge-tools.ts'
import type { LockEntry } from '../lock/lock-entry.ts'
import { soundDigest } from '../lock/pinned-digest.ts'
import type { ServerFacts } from '../lock/server-record.ts'
import type { SyncReport } from '../mcp.ts'

type SyncedTool = SyncReport['tools'][number]

/** Says of each tool whether it is what is pinned and accepted, and how it differs. */
export function compareTools(facts: ServerFacts, { live, needs }: ClassedList): readonly SyncedTool[] {
  const known = baseline(facts)
  const listed = [...live.tools.values()].map((tool): SyncedTool => {
    const { name, digest } = tool
    const wanted = needs.get(name) ?? []
    const common = { name, digest, ...describe(tool), ...(wanted.length > 0 && { needs: wanted }) }
    if (!known.has(name)) return { ...common, change: 'added' }
    if (known.get(name) === digest) return { ...common, change: 'same' }
    return { ...common, change: 'changed', ...differenceOf(facts.entry, tool) }
  })
  const removed = [...known.keys()]
    .filter((name) => !live.tools.has(name))
    .map((name) => ({ name, change: 'removed' }) as const)
  return [...listed, ...removed]
}

/** Adds what is pinned for clients to whom the server could not be listed now: it is not known to be gone. */
export function withUnseen(entry: LockEntry | undefined, listed: ClassedList): ClassedList {
  const { live, needs, classes } = listed
  const unseen = (entry?.tools ?? []).filter(
    (tool) =>
      soundDigest(tool) !== undefined &&
      !live.tools.has(tool.name) &&
      !classes.some((capabilityClass) => isExpected(capabilityClass, tool.needs)),
  )
  if (unseen.length === 0) return listed
  const more = unseen.map(({ name, definition, digest }) => [name, { name, definition, digest }] as const)
  return {
    ...listed,
    live: { ...live, tools: new Map([...live.tools, ...more]) },
    needs: new Map([...needs, ...unseen.map((tool) => [tool.name, tool.needs] as const)]),
  }
}

/** What both the lock file and the store agree on; undefined for a tool on which they don't. */
function baseline({ entry, acceptance }: ServerFacts): ReadonlyMap<string, Digest | undefined> {
  if (entry === undefined) return new Map(Object.entries(acceptance?.tools ?? {}))
  return new Map(
    entry.tools.map((tool) => {
      const digest = soundDigest(tool)
      const isSound = digest !== undefined && digest === acceptance?.tools[tool.name]
      return [tool.name, isSound ? digest : undefined]
    }),
  )
}

function differenceOf(entry: LockEntry | undefined, { name, definition }: LiveTool): Partial<SyncedTool> {
  const pinned = entry?.tools.find((tool) => tool.name === name)
  if (pinned === undefined) return {}
  const { diff, isCompatible } = compareDefinitions('tool', pinned.definition, definition)
  // What is the same text on both sides was edited in the lock file, and accepted by nobody.
  if (diff.length === 0) return { compatible: false, diff: ['the lock file is not what was accepted'] }
  return { compatible: isCompatible, diff }
}

function describe({ definition }: LiveTool): Pick<SyncedTool, 'description' | 'readOnlyHint'> {
  const { description } = definition
  const hint = readOnlyHintOf(definition)
  return {
    // For a person who decides: everything that hides is shown.
    ...(typeof description === 'string' && { description: visibleText(description) }),
    ...(hint !== undefined && { readOnlyHint: hint }),
  }
}

function readOnlyHintOf({ annotations }: JsonObject): boolean | undefined {
  const hint: Json | undefined = isJsonObject(annotations) ? annotations.readOnlyHint : undefined
  return typeof hint === 'boolean' ? hint : undefined
}
