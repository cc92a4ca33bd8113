import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { RollcallError } from './errors/rollcall-error.ts'

/** `sha256:` and 64 hexadecimal digits, over canonical JSON. */
export type Digest = `sha256:${string}`

/**
 * The one text of a JSON value: sorted keys, no white space, shortest numbers.
 *
 * @throws {RollcallError} `TOOL_ARGUMENTS_INVALID` for a value that JSON can't hold (a cycle, a function, NaN).
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined
  try {
    text = canonicalize(value)
  } catch (cause) {
    throw notJson(cause)
  }
  if (text === undefined) throw notJson(undefined)
  return text
}

/**
 * SHA-256 over the canonical JSON of a value. A lone surrogate, which canonical JSON can not hold, counts as its escape:
 * foreign definitions with one still have a digest.
 *
 * @throws {RollcallError} `TOOL_ARGUMENTS_INVALID` for a value that JSON can't hold.
 */
export function digestOf(value: unknown): Digest {
  return `sha256:${createHash('sha256').update(anyCanonicalJson(value)).digest('hex')}`
}

function anyCanonicalJson(value: unknown): string {
  try {
    return canonicalJson(value)
  } catch (error) {
    const escaped = escapeLoneSurrogates(value)
    if (escaped === undefined) throw error
    return canonicalJson(JSON.parse(escaped))
  }
}

// JSON text writes exactly the lone ones as escapes; an even number of backslashes before it belongs to other text.
function escapeLoneSurrogates(value: unknown): string | undefined {
  const text = attempt(() => JSON.stringify(value))
  const escaped = text?.replace(/(?<!\\)((?:\\\\)*)\\u(d[89a-f][0-9a-f]{2})/g, '$1\\\\u$2')
  return escaped === text ? undefined : escaped
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function notJson(cause: unknown): RollcallError {
  return new RollcallError('TOOL_ARGUMENTS_INVALID', 'The value is not JSON, so it has no canonical text.', {
    hint: 'Pass plain objects, arrays, strings, finite numbers, booleans and null.',
    cause,
  })
}
