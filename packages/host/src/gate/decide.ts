import type { GateQuestion, GateRule, GateRuleName, Verdict, Vote } from './gate.ts'
import { admin } from './rules/admin.ts'
import { approval } from './rules/approval.ts'
import { held } from './rules/held.ts'
import { profile } from './rules/profile.ts'
import { zone } from './rules/zone.ts'

// In the order of `gateRules`, after `registered`.
const rules: readonly (readonly [GateRuleName, GateRule])[] = [
  ['held', held],
  ['admin', admin],
  ['profile', profile],
  ['zone', zone],
  ['approval', approval],
]

/**
 * The gate: pure, so that the same question always has the same answer. Every rule votes; the first denial in the
 * order of `gateRules` is the one reported; without one, any `ask` asks.
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
  for (const [rule, vote] of rules) votes.push({ rule, ...vote(asked) })
  const decisive = votes.find(({ vote }) => vote === 'deny') ?? votes.find(({ vote }) => vote === 'ask')
  if (decisive === undefined) return { verdict: 'allow', decidedBy: 'approval', votes }
  return { verdict: decisive.vote === 'deny' ? 'deny' : 'ask', decidedBy: decisive.rule, votes }
}
