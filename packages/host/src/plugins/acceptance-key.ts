/** Rows about accepted plugins begin with this. */
export const acceptancePrefix = 'plugin/'

/**
 * The row of a discovered plugin that somebody accepted, keyed by the name under which the host depends on it: a package
 * can't borrow another's acceptance.
 */
export function acceptanceKey(name: string): string {
  return `${acceptancePrefix}${name}`
}
