import type { Catalogue, ToolView } from '../catalogue/catalogue.ts'
import { toView } from '../catalogue/to-view.ts'
import { decide } from '../gate/decide.ts'
import type { GateQuestion } from '../gate/gate.ts'
import { toSubject } from '../gate/to-subject.ts'
import { awaitTool, readResultTool, runtimeTool } from './runtime-tools.ts'

// A catalogue is replaced whole, so what it offers to one kind of consumer never changes.
const maxConsumers = 64
const offered = new WeakMap<Catalogue, Map<string, readonly ToolView[]>>()

/**
 * What a consumer is shown: every tool that the gate would not deny, in the order of the catalogue, and what it needs to
 * go on with its calls: a way to wait where a person may be asked, and to read on where results may be cut.
 */
export function offerTools(
  catalogue: Catalogue,
  who: Omit<GateQuestion, 'subject' | 'argumentsAsk'>,
  { isModel }: { readonly isModel: boolean },
): readonly ToolView[] {
  const byConsumer = offered.get(catalogue) ?? new Map<string, readonly ToolView[]>()
  offered.set(catalogue, byConsumer)
  // All that the rules look at.
  const key = JSON.stringify([who.profile, who.principal.admin === true, who.allow, isModel])
  let tools = byConsumer.get(key)
  if (tools === undefined) {
    const judged = [...catalogue.entries.values()].map((entry) => ({
      entry,
      verdict: decide({ ...who, subject: toSubject(entry) }).verdict,
    }))
    const shown = judged.filter(({ verdict }) => verdict !== 'deny')
    const own = [
      ...(isModel && shown.some(({ entry, verdict }) => verdict === 'ask' || entry.form !== undefined)
        ? [awaitTool]
        : []),
      ...(isModel && shown.length > 0 ? [readResultTool] : []),
    ]
    tools = Object.freeze([
      ...shown.map(({ entry }) => toView(entry)),
      ...own.flatMap((name) => runtimeTool(name, catalogue.generation) ?? []),
    ])
    // Requests may narrow in endless ways; none of them may fill the memory.
    if (byConsumer.size >= maxConsumers) byConsumer.clear()
    byConsumer.set(key, tools)
  }
  return tools
}
