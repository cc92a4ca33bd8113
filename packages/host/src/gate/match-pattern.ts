import type { GateSubject } from './gate.ts'

/**
 * Matches a name, where `*` stands for anything, or `group:<name>`. `<appId>__*` means everything of a provider, its
 * resources too, whose names are `<appId>+<uri>`. Linear in the name's length per star.
 */
export function matchPattern(
  pattern: string,
  subject: Pick<GateSubject, 'kind' | 'name' | 'appId' | 'traits'>,
): boolean {
  if (subject.kind !== 'tool' && pattern === `${subject.appId}__*`) return true
  // What stands for anything in the names of tools reaches no address: an address is named with its provider.
  if (isAddressed(subject.kind) && !pattern.includes('+') && !pattern.startsWith('group:')) return false
  if (pattern.startsWith('group:')) return matchName(pattern.slice('group:'.length), subject.traits.group)
  return matchName(pattern, subject.name)
}

function isAddressed(kind: GateSubject['kind']): boolean {
  return kind === 'resource'
}

const compiled = new Map<string, readonly string[]>()
const maxCompiled = 10_000

/** The texts between the stars of a pattern. */
function partsOf(pattern: string): readonly string[] {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const parts = pattern.split('*')
  // Requests narrow by patterns of their own; none of them may fill the memory.
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(pattern, parts)
  return parts
}

/** Matches a name alone, where `*` stands for anything. */
export function matchName(pattern: string, text: string): boolean {
  const parts = partsOf(pattern)
  const last = parts.length - 1
  if (last === 0) return pattern === text
  const head = parts[0] ?? ''
  const tail = parts[last] ?? ''
  if (!text.startsWith(head)) return false
  let at = head.length
  for (let index = 1; index < last; index++) {
    const part = parts[index] ?? ''
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
