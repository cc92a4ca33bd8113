import { type Json, RollcallError } from '@rollcall/plugin'

/**
 * The text under which every store keeps a value, so that what is read is never shared with who wrote it.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE` for a value that JSON can't hold.
 */
export function toStoredJson(value: unknown): string {
  let text: string | undefined
  let cause: unknown
  try {
    text = JSON.stringify(value)
  } catch (error) {
    cause = error
  }
  if (text !== undefined) return text
  throw new RollcallError('STORE_UNAVAILABLE', `A value of type ${typeof value} can not be stored: it is not JSON.`, {
    hint: 'Store plain objects, arrays, strings, finite numbers, booleans and null.',
    cause,
  })
}

/** The value of a stored text; each call makes a new one. */
export function fromStoredJson(text: string): Json {
  return JSON.parse(text) as Json
}
