import type { Json, JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'

/** What a server may ask of its caller in the middle of a request. */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/**
 * Names a question in the `_meta` of its params, so that it keeps the name that its server gave it. Without one the
 * question gets a name of ours.
 */
export const inputKeyMeta = 'rollcall/inputKey'

const keyShape = /^[A-Za-z0-9_.-]{1,64}$/
const kinds = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }

/** The name under which its server asks a question; `undefined` where it gave none that can be used. */
export function ownKeyOf(params: JsonObject): string | undefined {
  const key = isJsonObject(params._meta) ? params._meta[inputKeyMeta] : undefined
  return typeof key === 'string' && keyShape.test(key) && key !== '__proto__' ? key : undefined
}

/** The first name of ours for a question that is not in use. */
export function freeKeyFor(method: QuestionMethod, isTaken: (key: string) => boolean): string {
  let number = 1
  while (isTaken(`${kinds[method]}-${number}`)) number += 1
  return `${kinds[method]}-${number}`
}

/** A question as a client of the stateless revision reads it. */
export function toInputRequest(method: QuestionMethod, params: JsonObject): JsonObject {
  const { _meta, ...rest } = params
  if (!isJsonObject(_meta)) return { method, params: rest }
  const { [inputKeyMeta]: _, ...kept } = _meta
  return { method, params: Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept } }
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
