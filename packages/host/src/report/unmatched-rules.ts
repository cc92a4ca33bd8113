import type { Finding } from '@rollcall/plugin'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { resourceName } from '../features/seen-by.ts'
import type { GateSubject } from '../gate/gate.ts'
import type { GatePolicy } from '../gate/policy.ts'
import { isAbout } from '../gate/rules/rule.ts'
import { subjectOf, toSubject } from '../gate/to-subject.ts'

/** Rules of the operator that are about nothing there is: a misspelt name must not go unnoticed. */
export function unmatchedRules(catalogue: Catalogue, policy: GatePolicy): readonly Finding[] {
  if (policy.rules.length === 0) return []
  const subjects = [...subjectsOf(catalogue)]
  // Nothing is listed yet: every rule may come to its tool.
  if (subjects.length === 0) return []
  return policy.rules
    .filter((rule) => !subjects.some((subject) => isAbout(rule, subject)))
    .map(({ place, vote, when }) => ({
      code: 'RULE_UNMATCHED',
      // A denial that protects nobody is worse than an allowance that helps nobody.
      severity: vote === 'allow' ? 'warn' : 'error',
      about: {},
      phase: 'validate',
      message: `${place} ("${vote}") is about nothing there is: ${JSON.stringify({ tool: when.tool, group: when.group, effect: when.effect })}.`,
      hint: `Correct "${place}.when", or remove the rule. What there is: rollcall tools`,
      causes: [],
    }))
}

function* subjectsOf({ entries, features }: Catalogue): Generator<GateSubject> {
  for (const entry of entries.values()) yield toSubject(entry)
  for (const entry of features.values()) {
    for (const name of entry.prompts.keys()) yield subjectOf(entry, 'prompt', name)
    for (const uri of entry.resources.keys()) yield subjectOf(entry, 'resource', resourceName(entry.appId, uri))
    yield subjectOf(entry, 'resource', resourceName(entry.appId, ''))
  }
}
