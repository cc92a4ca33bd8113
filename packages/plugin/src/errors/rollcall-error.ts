import type { Json } from '../json.ts'
import type { errorTable } from './error-table.ts'

/** Every code there is; `errorTable` says when each occurs and what to do. */
export type RollcallErrorCode = keyof typeof errorTable

// A registered symbol, so that an error of a second copy of this package is still recognised.
const brand = Symbol.for('rollcall.error/1')

/** What a `RollcallError` carries besides its message. */
export interface RollcallErrorOptions {
  /** What to change: names the exact key or command. */
  readonly hint: string
  readonly data?: { readonly [key: string]: Json }
  readonly cause?: unknown
}

/** The one error class: a code to branch on, a message that says what happened to whom, a hint that says what to do. */
export class RollcallError<C extends RollcallErrorCode = RollcallErrorCode> extends Error {
  readonly code: C
  readonly hint: string
  declare readonly data?: { readonly [key: string]: Json }

  constructor(code: C, message: string, options: RollcallErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RollcallError'
    this.code = code
    this.hint = options.hint
    if (options.data !== undefined) this.data = options.data
    Object.defineProperty(this, brand, { value: true })
  }
}

/**
 * Tells whether a value is a Rollcall error (with that code), also across duplicate installs of this package.
 *
 * @example
 * if (isRollcallError(error, 'APPROVAL_STALE')) console.warn(error.hint)
 */
export function isRollcallError<C extends RollcallErrorCode>(value: unknown, code?: C): value is RollcallError<C> {
  return (
    value instanceof Error &&
    (value as { [brand]?: unknown })[brand] === true &&
    (code === undefined || (value as { code?: unknown }).code === code)
  )
}
