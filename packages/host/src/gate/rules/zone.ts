import type { GateRule } from '../gate.ts'
import { ceilingOf, isWithin } from '../zones.ts'
import { egress } from './egress.ts'
import { mayObserve } from './may-observe.ts'

/** What a tool returns must not be of a higher class than the consumer's zone may receive, nor what it is told. */
export const zone: GateRule = (question) => {
  const { subject, profile, policy } = question
  const ceiling = ceilingOf(profile, policy)
  const { dataClass } = subject.traits
  const why = `returns ${dataClass}; profile ${profile.name} (${profile.zone}) may receive up to ${ceiling}`
  const isOver = !isWithin(dataClass, ceiling, policy)
  if (isOver && !mayObserve(question, subject)) return { vote: 'deny', why }
  return egress(question) ?? { vote: 'allow', why: isOver ? `observed only: ${why}` : why }
}
