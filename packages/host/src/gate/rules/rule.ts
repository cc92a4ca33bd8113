import type { GateRule, GateSubject } from '../gate.ts'
import { matchName, matchPattern } from '../match-pattern.ts'
import type { PolicyRule } from '../policy.ts'
import { rankOf } from '../zones.ts'

type Question = Parameters<GateRule>[0]
type Matched = Pick<PolicyRule, 'vote'> & { readonly rule: PolicyRule }

const strictness = { deny: 2, ask: 1, allow: 0 } as const

/**
 * The operator's rules. Of those that match the strictest counts, in whatever order they are written: a broad `allow`
 * never wins over a `deny`.
 */
export const rule: GateRule = (question) => {
  let strictest: Matched | undefined
  // Every tool of a catalogue is held against every rule: nothing is made for those that are about something else.
  for (const one of question.policy.rules) {
    const matched = isAbout(one, question.subject) ? matchOf(one, question) : undefined
    if (matched === undefined) continue
    if (strictest === undefined || strictness[matched.vote] > strictness[strictest.vote]) strictest = matched
  }
  if (strictest === undefined) return { vote: 'abstain', why: 'no rule matches' }
  const { rule: found, vote } = strictest
  const how = vote === found.vote ? '' : ', which depends on the call'
  return { vote, why: `${found.place}${how}${found.reason === undefined ? '' : `: ${found.reason}`}` }
}

/** Whether a rule is about a subject at all, whatever the call. */
export function isAbout({ when }: PolicyRule, subject: GateSubject): boolean {
  const { tool, group, effect } = when
  // What is cheap to tell comes first: most rules are about something else.
  if (effect !== undefined && !isAmong(effect, subject.traits.effect)) return false
  if (group !== undefined && !isAmong(group, subject.traits.group)) return false
  return tool === undefined || listOf(tool, (pattern) => matchPattern(pattern, subject))
}

function isAmong(given: string | readonly string[], name: string): boolean {
  return typeof given === 'string' ? given === name : given.includes(name)
}

/** What a rule about the subject says of this call. */
function matchOf(one: PolicyRule, question: Question): Matched | undefined {
  const conditions = [argsFit(one, question), taintFits(one, question), originFits(one, question)]
  if (conditions.includes(false)) return undefined
  if (!conditions.includes(undefined)) return { rule: one, vote: one.vote }
  // It depends on what is not known yet: a person may be asked, and nothing is allowed.
  return one.vote === 'allow' ? undefined : { rule: one, vote: 'ask' }
}

function argsFit({ fits, when }: PolicyRule, { args }: Question): boolean | undefined {
  if (when.args === undefined) return true
  return args === undefined ? undefined : (fits?.(args) ?? true)
}

function taintFits({ when }: PolicyRule, { taint, policy }: Question): boolean | undefined {
  if (when.taint === undefined) return true
  if (taint === undefined) return undefined
  return taint.dataClass !== undefined && rankOf(taint.dataClass, policy) >= rankOf(when.taint, policy)
}

function originFits({ when }: PolicyRule, { taint }: Question): boolean | undefined {
  if (when.origin === undefined) return true
  if (taint === undefined) return undefined
  return taint.origins.some((name) => listOf(when.origin, (pattern) => matchName(pattern, name)))
}

function listOf(given: string | readonly string[] | undefined, isMet: (one: string) => boolean): boolean {
  if (given === undefined) return true
  return typeof given === 'string' ? isMet(given) : given.some(isMet)
}
