import { type JsonObject, redactSecrets } from '@rollcall/plugin'
import type { Profile } from '../gate/profile.ts'
import { answer } from '../invoke/answer.ts'
import type { CallDeps } from '../invoke/call-deps.ts'
import { routeRefusal } from '../invoke/may-approve.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { approvalCard, type WaitingCall } from './card.ts'
import { cardText } from './card-text.ts'

/** Whether the person behind a caller may be asked in place: the operator named this client, and it can ask. */
export function mayAskCaller({ approvals }: Profile, { caller, client }: CallOptions): boolean {
  if (approvals?.channels?.includes('elicitation') !== true || caller?.elicit === undefined) return false
  const name = client?.name ?? caller.name
  return name !== undefined && approvals.clients?.includes(name) === true
}

/**
 * Puts the card of a waiting call before the person behind its caller. Only the code on the card is a yes, so that a
 * client that accepts whatever it is asked approves nothing; declining is a no, and everything else leaves the call
 * waiting. A long card is not put there: nobody could tell whether all of it was shown. Never rejects.
 *
 * @param options.signal ends the question
 */
export async function askCaller(
  deps: CallDeps,
  profile: Profile,
  { call, askedAt }: { readonly call: WaitingCall; readonly askedAt: number },
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { caller, principal, signal } = options
  const card = approvalCard(call, { who: principal.id, profile: profile.name })
  const { tool, binds } = call
  const route = { tool, owner: principal, askedAt, now: deps.clock.now() }
  if (card.isLong || routeRefusal(profile, route, { principal, channel: 'elicitation' }) !== undefined) return
  try {
    const given = await caller?.elicit?.({ message: redactSecrets(cardText(card)), requestedSchema: form }, signal)
    const approved = given === undefined ? undefined : wordOf(given, card.code)
    if (approved === undefined || signal.aborted) return
    const answered = await answer(deps, call, { kind: 'approval', approved, binds }, principal, 'elicitation')
    if (!answered.ok)
      deps.logger.info('a decision by way of a client came to nothing', { callId: call.callId, code: answered.code })
  } catch (error) {
    if (!signal.aborted)
      deps.logger.warn('a client could not put a call before its person', {
        callId: call.callId,
        ...describeThrown(error),
      })
  }
}

const form: JsonObject = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      title: 'Code',
      description: 'The four characters of the code approve this one call. Anything else leaves it waiting.',
      maxLength: 16,
    },
  },
  required: ['code'],
}

function wordOf({ action, content }: JsonObject, code: string): boolean | undefined {
  if (action === 'decline') return false
  if (action !== 'accept' || typeof content !== 'object' || content === null) return undefined
  const typed = (content as JsonObject).code
  return typeof typed === 'string' && typed.trim().toUpperCase() === code ? true : undefined
}
