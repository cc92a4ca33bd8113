import type { Json, JsonObject } from '@rollcall/plugin'

const levels: readonly (Json | undefined)[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Tells whether a level of log messages is one of the protocol's. */
export function isLogLevel(level: Json | undefined): level is string {
  return levels.includes(level)
}

/** The names of all levels, from the least to the most severe. */
export const logLevels = levels.join(', ')

/** Which log messages one session wants. */
export interface LogFilter {
  set(level: Json | undefined): void
  wants(message: JsonObject): boolean
}

/**
 * Until a client sets a level it hears everything, as the protocol leaves it to the server.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
 */
export function createLogFilter(): LogFilter {
  let lowest = 0
  return {
    set(level) {
      lowest = Math.max(0, levels.indexOf(level))
    },
    wants: ({ level }) => levels.indexOf(level) >= lowest,
  }
}
