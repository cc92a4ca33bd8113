import type { GateRule } from '../gate.ts'

/** No holds, or no call. */
export const held: GateRule = ({ subject }) => {
  const [first] = subject.holds
  if (first === undefined) return { vote: 'allow', why: 'no holds' }
  return { vote: 'deny', why: `${subject.holds.map((hold) => hold.by).join(', ')}: ${first.hint}` }
}
