import type { GateRule } from '../gate.ts'
import { ceilingOfZone, isWithin } from '../zones.ts'
import { mayObserve } from './may-observe.ts'

type Question = Parameters<GateRule>[0]

/**
 * What a consumer has read may leave with what it tells the next one. Data of a higher class than the target's zone may
 * have is asked about, and never goes where it is next to secret. `undefined`: nothing against it.
 */
export function egress(question: Question): ReturnType<GateRule> | undefined {
  const { subject, policy, taint } = question
  // Whatever is only offered tells nobody anything.
  if (taint?.dataClass === undefined) return undefined
  const ceiling = ceilingOfZone(subject.traits.zone, policy)
  if (isWithin(taint.dataClass, ceiling, policy)) return undefined
  const from = taint.origins.length === 0 ? 'an earlier call' : taint.origins.slice(0, 3).join(', ')
  const goesTo = subject.traits.zone ?? 'a zone that nobody named'
  const why = `could carry ${taint.dataClass} (from ${from}) to ${goesTo}, which may get up to ${ceiling}`
  const isSecret = !policy.classes.includes(taint.dataClass) || taint.dataClass === 'secretAdjacent'
  return { vote: isSecret && !mayObserve(question, subject) ? 'deny' : 'ask', why }
}
