import type { GateRule } from '../gate.ts'
import { ceilingOf, rankOf } from '../zones.ts'

/** What a tool returns must not be of a higher class than the consumer's zone may receive. */
export const zone: GateRule = ({ subject, profile }) => {
  const ceiling = ceilingOf(profile)
  const { dataClass } = subject.traits
  const why = `returns ${dataClass}; profile ${profile.name} (${profile.zone}) may receive up to ${ceiling}`
  return { vote: rankOf(dataClass) <= rankOf(ceiling) ? 'allow' : 'deny', why }
}
