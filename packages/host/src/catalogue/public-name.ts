import { createHash } from 'node:crypto'

const maxLength = 64
const shortHash = 6

/**
 * The one public name of a tool: `<appId>__<original>`, at most 64 characters of `A-Z a-z 0-9 _ -`. Any character
 * replaced and any cut adds `-` and six hexadecimal digits of a hash, so that two originals keep two names.
 */
export function publicName(appId: string, original: string): string {
  return isLiteral(appId, original) ? `${appId}__${original}` : hashedName(appId, original, shortHash)
}

/**
 * The public names of a provider's tools by original name. A tool is named without regard to its siblings; only where
 * two names meet does the one that is its original letter by letter keep it, and the others get a longer hash.
 */
export function publicNames(appId: string, originals: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map(originals.map((original) => [original, publicName(appId, original)]))
  for (const digits of [10, 20, 40, 64]) {
    const met = [...meetings(names)].filter((original) => !isLiteral(appId, original))
    if (met.length === 0) break
    for (const original of met) names.set(original, hashedName(appId, original, digits))
  }
  return names
}

function isLiteral(appId: string, original: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(original) && appId.length + 2 + original.length <= maxLength
}

function hashedName(appId: string, original: string, digits: number): string {
  const clean = `${appId}__${original.replace(/[^A-Za-z0-9_-]/gu, '_')}`
  const hash = createHash('sha256').update(`${appId}\0${original}`).digest('hex')
  // With the longest hashes only the hash itself is left room beside the appId.
  const tail = `-${hash.slice(0, Math.min(digits, maxLength - appId.length - 3))}`
  return `${clean.slice(0, maxLength - tail.length)}${tail}`
}

function* meetings(names: ReadonlyMap<string, string>): Iterable<string> {
  const seen = new Map<string, number>()
  for (const name of names.values()) seen.set(name, (seen.get(name) ?? 0) + 1)
  for (const [original, name] of names) if ((seen.get(name) ?? 0) > 1) yield original
}
