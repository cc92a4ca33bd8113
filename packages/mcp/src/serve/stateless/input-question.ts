import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import { withoutInputKey } from '../../peer/input-key.ts'

/** What a server may ask of its caller in the middle of a request. */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

const kinds = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }

/** The first name of ours for a question that is not in use. */
export function freeKeyFor(method: QuestionMethod, isTaken: (key: string) => boolean): string {
  let number = 1
  while (isTaken(`${kinds[method]}-${number}`)) number += 1
  return `${kinds[method]}-${number}`
}

/** A question as a client of the stateless revision reads it. */
export function toInputRequest(method: QuestionMethod, params: JsonObject): JsonObject {
  return { method, params: withoutInputKey(params) }
}

/** Tells whether an answer has the shape of one; whether it says the right thing is for who asked. */
export function isAnswerTo(method: QuestionMethod, answer: Json | undefined): answer is JsonObject {
  if (!isJsonObject(answer)) return false
  switch (method) {
    case 'elicitation/create': {
      const { action, content } = answer
      const isKnown = action === 'accept' || action === 'decline' || action === 'cancel'
      return isKnown && (content === undefined || isJsonObject(content))
    }
    case 'sampling/createMessage':
      return typeof answer.role === 'string' && typeof answer.content === 'object' && answer.content !== null
    case 'roots/list':
      return Array.isArray(answer.roots) && answer.roots.every(isJsonObject)
  }
}
