import type { GateRule } from '../gate.ts'

/** Asks a person where the operator or the author wants one. */
export const approval: GateRule = ({ subject, argumentsAsk }) => {
  switch (subject.traits.approval) {
    case 'notNeeded':
      return { vote: 'allow', why: 'no approval needed' }
    case 'byArguments':
      if (argumentsAsk === false) return { vote: 'allow', why: 'not needed for these arguments' }
      return { vote: 'ask', why: argumentsAsk ? 'asked for these arguments' : 'depends on the arguments' }
    default:
      return { vote: 'ask', why: 'a person approves each call' }
  }
}
