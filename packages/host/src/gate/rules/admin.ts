import type { GateRule } from '../gate.ts'

/** What is for administrators only is for nobody else. */
export const admin: GateRule = ({ subject, principal }) => {
  if (subject.traits.adminOnly === false) return { vote: 'allow', why: 'not admin only' }
  if (principal.admin === true) return { vote: 'allow', why: `admin only, and ${principal.id} is one` }
  return { vote: 'deny', why: `admin only, and ${principal.id} is none` }
}
