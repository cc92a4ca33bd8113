import type { Catalogue, ToolView } from '../catalogue/catalogue.ts'
import { toView } from '../catalogue/to-view.ts'
import { decide } from '../gate/decide.ts'
import type { GateQuestion } from '../gate/gate.ts'
import { toSubject } from '../gate/to-subject.ts'

// A catalogue is replaced whole, so what it offers to one kind of consumer never changes.
const maxConsumers = 64
const offered = new WeakMap<Catalogue, Map<string, readonly ToolView[]>>()

/** What a consumer is shown: every tool that the gate would not deny, in the order of the catalogue. */
export function offerTools(
  catalogue: Catalogue,
  who: Omit<GateQuestion, 'subject' | 'argumentsAsk'>,
): readonly ToolView[] {
  const byConsumer = offered.get(catalogue) ?? new Map<string, readonly ToolView[]>()
  offered.set(catalogue, byConsumer)
  // All that the rules look at.
  const key = JSON.stringify([who.profile, who.principal.admin === true, who.allow])
  let tools = byConsumer.get(key)
  if (tools === undefined) {
    tools = Object.freeze(
      [...catalogue.entries.values()]
        .filter((entry) => decide({ ...who, subject: toSubject(entry) }).verdict !== 'deny')
        .map(toView),
    )
    // Requests may narrow in endless ways; none of them may fill the memory.
    if (byConsumer.size >= maxConsumers) byConsumer.clear()
    byConsumer.set(key, tools)
  }
  return tools
}
