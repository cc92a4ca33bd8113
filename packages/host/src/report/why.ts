import type { Finding } from '@rollcall/plugin'
import type { Catalogue, ToolView } from '../catalogue/catalogue.ts'
import { toView } from '../catalogue/to-view.ts'
import { decide } from '../gate/decide.ts'
import type { GateQuestion, Verdict } from '../gate/gate.ts'
import { toSubject } from '../gate/to-subject.ts'

/** Why a consumer gets a tool, or doesn't: every vote, and what was found about the tool and its provider. */
export function why(
  catalogue: Catalogue,
  tool: string,
  who: Omit<GateQuestion, 'subject' | 'argumentsAsk'>,
): { readonly view?: ToolView; readonly verdict: Verdict; readonly findings: readonly Finding[] } {
  const entry = catalogue.entries.get(tool)
  const verdict = decide({ ...who, subject: entry === undefined ? undefined : toSubject(entry) })
  const findings = catalogue.findings.filter((finding) => isAbout(finding, tool, entry))
  return { ...(entry === undefined ? {} : { view: toView(entry) }), verdict, findings }
}

// Without an entry the name is all there is: what was found about any appId that it begins with may be the reason.
function isAbout({ about }: Finding, tool: string, entry: ToolView | undefined): boolean {
  if (entry === undefined)
    return about.tool === tool || (about.appId !== undefined && tool.startsWith(`${about.appId}__`))
  if (about.appId !== entry.appId) return false
  return about.tool === undefined || about.tool === entry.name || about.tool === entry.original
}
