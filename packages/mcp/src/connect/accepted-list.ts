import type { ClassedList } from '../listing/classed-list.ts'
import type { LiveList, LiveTool } from '../listing/live-list.ts'
import { isExpected } from '../lock/judge-tools.ts'
import type { LockEntry } from '../lock/lock-entry.ts'
import { abilitiesOf } from '../pool/capability-class.ts'

/** What is pinned when everything is accepted that a server lists now to one class of clients. */
export function acceptedList(entry: LockEntry, live: LiveList, capabilityClass: string): ClassedList {
  const known = new Map(entry.tools.map((tool) => [tool.name, tool]))
  // What is listed to other clients only is not gone.
  const kept = entry.tools.filter(({ name, needs }) => !live.tools.has(name) && !isExpected(capabilityClass, needs))
  const able = abilitiesOf(capabilityClass)
  const needs = [...live.tools.keys()].map((name) => {
    const before = known.get(name)?.needs ?? [...able]
    return [name, before.filter((need) => able.has(need))] as const
  })
  const tools: readonly LiveTool[] = [...live.tools.values(), ...kept]
  return {
    live: {
      ...live,
      tools: new Map(tools.map(({ name, definition, digest }) => [name, { name, definition, digest }])),
    },
    needs: new Map([...needs, ...kept.map((tool) => [tool.name, tool.needs] as const)]),
    classes: [...new Set([...entry.capabilityClasses, capabilityClass])],
    findings: [],
  }
}
