const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Tells whether this is a level of the protocol's log messages. */
export function isLogLevel(level: unknown): level is string {
  return typeof level === 'string' && levels.includes(level)
}

/** The level that is enough for everybody who asked; `undefined` where nobody did. */
export function lowestLevel(asked: Iterable<string>): string | undefined {
  return [...asked].toSorted((one, other) => levels.indexOf(one) - levels.indexOf(other))[0]
}

/** Tells whether a message of this level is for somebody who asked for that one. */
export function isLoudEnough(level: unknown, asked: string): boolean {
  // A level that nobody knows may be the gravest of all.
  return typeof level !== 'string' || !levels.includes(level) || levels.indexOf(level) >= levels.indexOf(asked)
}
