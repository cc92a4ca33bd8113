import { type Json, type JsonObject, type JsonSchema, redactSecrets } from '@rollcall/plugin'
import { answer } from '../invoke/answer.ts'
import type { CallDeps } from '../invoke/call-deps.ts'
import type { Pending } from '../invoke/outcome.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import { describeThrown } from '../isolation/describe-thrown.ts'
import { formText } from './form-text.ts'

const plainTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

/**
 * Puts the form of a waiting call before the person behind its caller, where clients can show it: fields of plain values.
 * What is sent back is checked like any other answer; declining is a no. Never rejects.
 *
 * @param options.signal ends the question
 */
export async function askInput(
  deps: CallDeps,
  call: Extract<Pending, { kind: 'input' }>,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { caller, principal, signal } = options
  if (!isPlainForm(call.schema)) return
  const { properties = {}, required } = call.schema
  // Clients take these words of a schema only; the whole of it checks what they send.
  const requestedSchema = { type: 'object', properties, ...(required !== undefined && { required }) }
  try {
    const given = await caller?.elicit?.({ message: redactSecrets(formText(call)), requestedSchema }, signal)
    if (given === undefined || signal.aborted) return
    const { binds } = call
    if (given.action === 'decline')
      await answer(deps, call, { kind: 'approval', approved: false, binds }, principal, 'elicitation')
    if (given.action === 'accept')
      await answer(deps, call, { kind: 'input', data: given.content ?? {}, binds }, principal, 'elicitation')
  } catch (error) {
    if (!signal.aborted)
      deps.logger.warn('a client could not put a form before its person', {
        callId: call.callId,
        ...describeThrown(error),
      })
  }
}

function isPlainForm({ properties }: JsonSchema): boolean {
  return Object.values(properties as JsonObject).every((field: Json) => {
    const { type, enum: values } = field as JsonObject
    return plainTypes.has(type) || (type === undefined && Array.isArray(values))
  })
}
