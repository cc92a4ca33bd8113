import type { GateQuestion, GateRule, GateRuleName, Verdict, Vote } from './gate.ts'
import { admin } from './rules/admin.ts'
import { approval } from './rules/approval.ts'
import { held } from './rules/held.ts'
import { profile } from './rules/profile.ts'
import { rule } from './rules/rule.ts'
import { zone } from './rules/zone.ts'

// In the order of `gateRules`, after `registered`.
const rules: readonly (readonly [GateRuleName, GateRule])[] = [
  ['held', held],
  ['admin', admin],
  ['profile', profile],
  ['zone', zone],
  ['rule', rule],
  ['approval', approval],
]

/**
 * The gate: pure, so that the same question always has the same answer. Every rule votes; the first denial in the
 * order of `gateRules` is the one reported; without one, any `ask` asks, unless a rule of the operator allows it.
 */
export function decide(question: GateQuestion): Verdict {
  const { subject } = question
  if (subject === undefined) {
    return {
      verdict: 'deny',
      decidedBy: 'registered',
      votes: [{ rule: 'registered', vote: 'deny', why: 'not in the catalogue' }],
    }
  }
  const asked = { ...question, subject }
  const votes: Vote[] = [{ rule: 'registered', vote: 'allow', why: 'in the catalogue' }]
  for (const [name, vote] of rules) votes.push({ rule: name, ...vote(asked) })
  const denial = votes.find(({ vote }) => vote === 'deny')
  if (denial !== undefined) return { verdict: 'deny', decidedBy: denial.rule, votes }
  const doubt = votes.find(({ vote }) => vote === 'ask')
  if (doubt === undefined) return { verdict: 'allow', decidedBy: 'approval', votes }
  // What changed under a person's eyes is asked about, whatever was allowed before.
  const isLoosened = subject.drifting !== true && votes.some(({ rule, vote }) => rule === 'rule' && vote === 'allow')
  return isLoosened ? { verdict: 'allow', decidedBy: 'rule', votes } : { verdict: 'ask', decidedBy: doubt.rule, votes }
}
