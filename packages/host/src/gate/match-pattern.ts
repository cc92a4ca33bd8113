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

/** Matches a name alone, where `*` stands for anything. */
export function matchName(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  if (!text.startsWith(head)) return false
  const tail = rest.pop() ?? ''
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
