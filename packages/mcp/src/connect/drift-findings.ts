import { type Finding, visibleText } from '@rollcall/plugin'
import type { LiveList } from '../listing/live-list.ts'
import { areFeaturesAccepted } from '../lock/accepted-facts.ts'
import type { JudgedTool } from '../lock/judge-tools.ts'
import type { ServerFacts } from '../lock/server-record.ts'
import type { Judgement } from './drift-check.ts'

/** What is said about everything of a server that is not as it was accepted. */
export function driftFindings(
  appId: string,
  { entry, acceptance }: Pick<ServerFacts, 'entry' | 'acceptance'>,
  { tools, prompts }: Judgement,
  live: LiveList | undefined,
): readonly Finding[] {
  const found = [
    ...tools.flatMap((tool) => aboutTool(appId, tool)),
    ...prompts.flatMap((prompt) => aboutPrompt(appId, prompt)),
    ...aboutNewPrompts(appId, prompts),
  ]
  if (entry === undefined) return found
  if (!areFeaturesAccepted(entry, acceptance)) {
    const what = `The instructions, resources and templates of ${appId}`
    return [...found, notice(appId, 'warn', `${what} ${stands}; they are not offered.`)]
  }
  if (live !== undefined && (live.instructions ?? '') !== (entry.instructions ?? '')) {
    const message = `${appId} gives other instructions than were accepted; the accepted ones stay in service.`
    return [...found, notice(appId, 'info', message)]
  }
  return found
}

const stands = 'stand in the lock file otherwise than they were accepted'
const faults = {
  edited: 'stands in the lock file otherwise than it was accepted',
  changed: 'is described otherwise by its server than it was accepted',
  gone: 'is no longer listed by its server',
} as const

function aboutTool(appId: string, { name, fault, diff }: JudgedTool): readonly Finding[] {
  const who = `The tool ${visibleText(name)} of ${appId}`
  const about = { appId, tool: name }
  if (fault === undefined && diff === undefined) return []
  if (fault === undefined) {
    const message = `${who} is described a little otherwise by its server; the accepted definition stays in service.`
    return [{ ...notice(appId, 'warn', message), about }]
  }
  return fault === 'new' ? [] : [{ ...notice(appId, 'warn', `${who} ${faults[fault]}; it is held.`), about }]
}

function aboutPrompt(appId: string, { name, fault, diff }: JudgedTool): readonly Finding[] {
  const who = `The prompt ${visibleText(name)} of ${appId}`
  if (fault === undefined) {
    const message = `${who} is described a little otherwise by its server; the accepted definition stays in service.`
    return diff === undefined ? [] : [notice(appId, 'info', message)]
  }
  return fault === 'new' ? [] : [notice(appId, 'warn', `${who} ${faults[fault]}; it is not offered.`)]
}

function aboutNewPrompts(appId: string, prompts: readonly JudgedTool[]): readonly Finding[] {
  const names = prompts.filter(({ fault }) => fault === 'new').map(({ name }) => visibleText(name))
  if (names.length === 0) return []
  const some = names.slice(0, 5).join(', ')
  const message = `${appId} lists prompts that nobody accepted, and they are not offered: ${some}${names.length > 5 ? ' …' : ''}`
  return [notice(appId, 'info', message)]
}

function notice(appId: string, severity: Finding['severity'], message: string): Finding {
  const hint = `See the difference: rollcall sync ${appId}. To take it: rollcall sync --accept ${appId}`
  return { code: 'DEFINITION_CHANGED', severity, about: { appId }, phase: 'list', message, hint, causes: [] }
}
