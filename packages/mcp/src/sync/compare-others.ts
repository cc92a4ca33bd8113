import type { JsonObject } from '@rollcall/plugin'
import { compareDefinitions } from '../drift/compare-definitions.ts'
import { DiffLines } from '../drift/diff-lines.ts'
import { diffTexts } from '../drift/diff-texts.ts'
import { isEqualJson } from '../drift/own-json.ts'
import { areFeaturesAccepted } from '../lock/accepted-facts.ts'
import type { LockEntry } from '../lock/lock-entry.ts'
import { digestOfPinned } from '../lock/pinned-digest.ts'
import type { ServerFacts } from '../lock/server-record.ts'
import type { SyncReport } from '../mcp.ts'

type SyncedOther = NonNullable<SyncReport['others']>[number]

/**
 * Says what else than tools is not as it was accepted: prompts, instructions and resource templates. Resources come and
 * go, so they are not compared.
 *
 * @param live what would be pinned now.
 */
export function compareOthers(facts: ServerFacts, live: LockEntry): readonly SyncedOther[] {
  const { entry } = facts
  if (entry === undefined) return []
  return [...comparePrompts(facts, live), ...compareInstructions(facts, live), ...compareTemplates(facts, live)]
}

function comparePrompts({ entry, acceptance }: ServerFacts, { prompts }: LockEntry): readonly SyncedOther[] {
  const pinned = new Map((entry?.prompts ?? []).map((prompt) => [nameOf(prompt), prompt]))
  const accepted = acceptance?.prompts ?? {}
  const listed = prompts.flatMap((prompt): readonly SyncedOther[] => {
    const name = nameOf(prompt)
    const was = pinned.get(name)
    if (was === undefined) return [{ kind: 'prompt', name, change: 'added' }]
    const digest = digestOfPinned(prompt)
    if (digest !== undefined && digest === digestOfPinned(was) && digest === accepted[name]) return []
    return [{ kind: 'prompt', name, change: 'changed', diff: compareDefinitions('prompt', was, prompt).diff }]
  })
  const names = new Set(prompts.map(nameOf))
  const removed = [...pinned.keys()].filter((name) => !names.has(name))
  return [...listed, ...removed.map((name) => ({ kind: 'prompt', name, change: 'removed' }) as const)]
}

function compareInstructions({ entry }: ServerFacts, live: LockEntry): readonly SyncedOther[] {
  const [was = '', is = ''] = [entry?.instructions, live.instructions]
  if (was === is) return []
  const lines = new DiffLines()
  diffTexts(lines, 'instructions', was, is)
  const change = was === '' ? 'added' : is === '' ? 'removed' : 'changed'
  return [{ kind: 'instructions', name: 'instructions', change, diff: lines.done() }]
}

function compareTemplates({ entry, acceptance }: ServerFacts, { templates }: LockEntry): readonly SyncedOther[] {
  const pinned = entry?.templates ?? []
  const isAccepted = entry === undefined || areFeaturesAccepted(entry, acceptance)
  const lines = new DiffLines()
  if (!isAccepted) lines.add('the lock file is not what was accepted')
  const uriOf = ({ uriTemplate }: JsonObject) => String(uriTemplate)
  const [old, now] = [
    new Map(pinned.map((each) => [uriOf(each), each])),
    new Map(templates.map((each) => [uriOf(each), each])),
  ]
  for (const [uri, template] of now) {
    const was = old.get(uri)
    if (was === undefined) lines.add(`added ${uri}`)
    else if (!isEqualJson(was, template)) lines.add(`changed ${uri}`)
  }
  for (const uri of old.keys()) if (!now.has(uri)) lines.add(`removed ${uri}`)
  if (lines.done().length === 0) return []
  return [{ kind: 'lists', name: 'resource templates', change: 'changed', diff: lines.done() }]
}

function nameOf({ name }: JsonObject): string {
  return String(name)
}
