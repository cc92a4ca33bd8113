import type { GateRule } from '../gate.ts'

/** Asks a person where the operator or the author wants one and none has said yes for a while. */
export const approval: GateRule = (question) => {
  const vote = voteOf(question)
  const { grant } = question
  if (vote.vote !== 'ask' || grant === undefined) return vote
  return { vote: 'allow', why: `granted by ${grant.by} until ${new Date(grant.until).toISOString()}` }
}

function voteOf({ subject, argumentsAsk }: Parameters<GateRule>[0]): ReturnType<GateRule> {
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
