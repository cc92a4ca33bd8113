import type { GateRule, GateSubject } from '../gate.ts'
import { matchPattern } from '../match-pattern.ts'
import type { Profile } from '../profile.ts'

/** The profile's patterns, narrowed by those of the request. Absent: all. `[]`: none. */
export const profile: GateRule = ({ subject, profile: rules, allow }) => {
  const unasked = questionFault(subject, rules)
  if (unasked !== undefined) return { vote: 'deny', why: unasked }
  const own = match(rules.allow, subject)
  if (!own.allowed) return { vote: 'deny', why: `profile ${rules.name}: ${own.why}` }
  const narrowed = match(allow, subject)
  if (!narrowed.allowed) return { vote: 'deny', why: `the request allows less: ${narrowed.why}` }
  return { vote: 'allow', why: own.why }
}

/** What a server may ask of a consumer is the profile's to say. */
function questionFault({ kind }: GateSubject, rules: Profile): string | undefined {
  if (kind === 'sampling' && rules.sampling !== true) return `profile ${rules.name} lets no server use its model`
  if (kind === 'elicitation' && rules.elicitation === false)
    return `profile ${rules.name} lets no server ask its person`
  if (kind === 'roots' && rules.roots === false) return `profile ${rules.name} shows no server its folders`
  return undefined
}

function match(patterns: readonly string[] | undefined, subject: GateSubject): { allowed: boolean; why: string } {
  if (patterns === undefined) return { allowed: true, why: 'allows all' }
  const excluded = patterns.find((pattern) => pattern.startsWith('!') && matchPattern(pattern.slice(1), subject))
  if (excluded !== undefined) return { allowed: false, why: `"${excluded}" excludes it` }
  const included = patterns.find((pattern) => !pattern.startsWith('!') && matchPattern(pattern, subject))
  if (included !== undefined) return { allowed: true, why: `"${included}"` }
  // A list of exclusions alone means: all but these.
  if (patterns.length > 0 && patterns.every((pattern) => pattern.startsWith('!'))) {
    return { allowed: true, why: 'not excluded' }
  }
  return { allowed: false, why: patterns.length === 0 ? 'allows nothing' : 'no pattern matches' }
}
