import type { DataClassName } from '@rollcall/plugin'

/** What a consumer has read lately: it may say so to whoever it talks to next. */
export interface Taint {
  /** The highest class among it. Absent: nothing. */
  readonly dataClass?: DataClassName
  /** The names of what it was read from, newest first. */
  readonly origins: readonly string[]
}

/** Nothing was read. */
export const untainted: Taint = Object.freeze({ origins: Object.freeze([]) })
