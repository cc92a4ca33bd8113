import { hasHiddenCharacters, type Json, visibleText } from '@rollcall/plugin'
import type { ListedTool } from '../providers/provider.ts'

// Text that speaks to the model instead of describing a tool. Few and plain: a false alarm costs a person's time.
const instructions: readonly RegExp[] = [
  /\bignore (?:all |any |the )?(?:previous|prior|above|earlier) (?:instructions|prompts|rules)/i,
  /\bdisregard (?:all |any |the )?(?:previous|prior|above|earlier|system)\b/i,
  /<\/?(?:important|system|instructions?|secret|hidden)>/i,
  /\bdo(?: not|n't) (?:tell|inform|mention|reveal|show)\b[^.]{0,40}\b(?:the )?user\b/i,
  /\bwithout (?:telling|informing|asking) the user\b/i,
  /\b(?:before|after) (?:using|calling) (?:this|any)(?: other)? tools?,? (?:you must|always|first) (?:read|send|call|include)\b/i,
  /\b(?:send|forward|exfiltrate|upload|bcc)\b[^.]{0,60}\b(?:conversation|chat history|system prompt|credentials|api keys?|\.env|id_rsa)\b/i,
  /~\/\.(?:ssh|aws|cursor|config)\/\S+[^.]{0,60}\b(?:pass|include|send|parameter)\b/i,
]

/** What is wrong with the texts of a definition, in words; `undefined` for nothing. */
export function suspicionOf(definition: ListedTool['definition']): string | undefined {
  for (const text of textsOf(definition)) {
    if (hasHiddenCharacters(text)) return `has hidden characters in its texts: "${excerpt(visibleText(text))}"`
    if (instructions.some((pattern) => pattern.test(text)))
      return `has text that reads like instructions: "${excerpt(text)}"`
  }
  return undefined
}

/** The first public name of another appId's tool in a description, if it names one. */
export function shadowingOf(
  definition: ListedTool['definition'],
  appId: string,
  appIds: readonly string[],
): string | undefined {
  const { description } = definition
  if (description === undefined || !description.includes('__')) return undefined
  for (const [name, owner = ''] of description.matchAll(/\b([a-z][a-z0-9-]{0,31})__[A-Za-z0-9_-]+/g)) {
    if (owner !== appId && appIds.includes(owner)) return name
  }
  return undefined
}

/** Every text of a definition that a model would read: descriptions, titles, enumerations, also deep in the schemas. */
function* textsOf(definition: ListedTool['definition']): Iterable<string> {
  const queue: (Json | undefined)[] = [
    definition.description,
    definition.title,
    definition.inputSchema,
    definition.outputSchema,
    definition.annotations,
  ]
  for (let value = queue.pop(); queue.length > 0 || value !== undefined; value = queue.pop()) {
    if (typeof value === 'string') yield value
    else if (typeof value === 'object' && value !== null)
      queue.push(...Object.keys(value), ...(Object.values(value) as Json[]))
  }
}

function excerpt(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 117)}…`
}
