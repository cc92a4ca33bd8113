import type { GateQuestion, GateSubject } from '../gate.ts'

/** Whether a zone only looks on: by an explicit word, and for functions of this process alone. */
export function mayObserve(
  { profile, policy }: Pick<GateQuestion, 'profile' | 'policy'>,
  { kept }: Pick<GateSubject, 'kept'>,
): boolean {
  return (profile.zoneMode ?? policy.zoneMode) === 'observe' && kept === 'inProcess'
}
