import { hasHiddenCharacters, type Json, visibleText } from '@rollcall/plugin'
import type { ListedTool } from '../providers/provider.ts'

const maxShown = 120

/** What in a definition should be seen by a person before a model reads it. */
export interface Suspicion {
  /** `hidden characters`, or what the text seems to tell a model. */
  readonly what: string
  /** `description`, `/inputSchema/properties/path/description`. */
  readonly where: string
  /** The place, with escapes, at most 120 characters. */
  readonly excerpt: string
}

// Few and narrow: a pattern that holds honest tools teaches people to accept without reading.
const instructions: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'text that sets instructions aside',
    pattern:
      /\b(ignore|disregard|forget|override)\b.{0,25}\b(previous|prior|above|earlier|preceding|system|all|any|your)\b.{0,25}\b(instructions?|prompts?|rules|guidelines|guardrails)\b/is,
  },
  {
    what: 'a tag that poses as the system',
    pattern:
      /<\s*\/?\s*(important|system|instructions?|secret|hidden|assistant|admin)(\s[^>]{0,40})?>|<\|[a-z_]{2,20}\|>|\[\/?INST\]/i,
  },
  {
    what: 'a line that poses as the system',
    pattern: /^\s{0,8}#{0,6}\s?(system|assistant)\s?(prompt|message)?\s?:\s?\S/im,
  },
  {
    what: 'text that keeps something from the user',
    pattern:
      /\b(do not|don't|never|must not)\s+(\w+\s+){0,2}?(tell|inform|notify|alert|reveal|mention)\b.{0,40}\b(users?|humans?|person|operator|anyone)\b/is,
  },
  {
    what: 'text that orders other calls',
    pattern:
      /\b(before|prior to|after|whenever|every time)\b.{0,20}\b(using|calling|invoking|running|you (use|call|invoke|run))\s+(any|every|all|each|other|another)\b.{0,20}\btools?\b|\bbefore (each|every) (use|call)\b/is,
  },
  {
    what: 'text that talks of skipping approval',
    pattern:
      /\b(you (may|can|must|should|are allowed to)|always)\s+(skip|bypass|avoid|disable|ignore)\b.{0,30}\b(approvals?|confirmations?|permissions?|consent|safety|security)\b/is,
  },
  {
    what: 'text that asks for secrets',
    pattern:
      /(~\/\.ssh|\bid_(rsa|ed25519)\b|\.aws\/credentials|\/etc\/(passwd|shadow)|\.cursor\/mcp\.json|\bread\b.{0,30}\b(key|credentials?|secrets?|passwords?|token|\.env) files?\b)|\b(contents?|value) of\b.{0,30}\b((private|ssh|api) keys?|key file|credentials|passwords?|secrets?|environment variables|\.env\b)/is,
  },
  {
    what: 'text that sends the conversation elsewhere',
    pattern:
      /\b(send|forward|upload|post|append|include|pass|copy|leak|exfiltrate)\b.{0,40}\b(conversation( history)?|chat history|system prompt|previous messages|all (the )?context)\b/is,
  },
]

// Within one word, letters of these alphabets pass for Latin ones.
const mixedAlphabets =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]\p{Script=Latin}/u

/** What the texts of a definition show to whoever reads all of them. */
export interface InspectedTexts {
  /** The first thing that a person should see; absent for ordinary text. */
  readonly suspicion?: Suspicion
  /** The appIds of tools that are named: `<appId>__<tool>` anywhere. */
  readonly mentions: ReadonlySet<string>
}

/** Reads the name, descriptions, titles, parameter texts and enumerations of a tool as a model would. */
export function inspectTexts(tool: Pick<ListedTool, 'name' | 'definition'>): InspectedTexts {
  const mentions = new Set<string>()
  let suspicion = nameSuspicion(tool.name)
  for (const { where, text } of textsOf(tool)) {
    if (suspicion === undefined) {
      const found = suspicionIn(text)
      if (found !== undefined) suspicion = { ...found, where: visibleText(where).slice(0, maxShown) }
    }
    if (!text.includes('__')) continue
    for (const [, appId = ''] of text.matchAll(/(?<![\w-])([a-z][a-z0-9-]{0,31})__[A-Za-z0-9_-]/g)) mentions.add(appId)
  }
  return { ...(suspicion === undefined ? {} : { suspicion }), mentions }
}

function nameSuspicion(name: string): Suspicion | undefined {
  if (!mixedAlphabets.test(name)) return undefined
  return { what: 'letters of two alphabets', where: 'name', excerpt: visibleText(name).slice(0, maxShown) }
}

function suspicionIn(text: string): Omit<Suspicion, 'where'> | undefined {
  // A line that ends as on Windows hides nothing.
  const plain = text.replaceAll('\r\n', '\n')
  const ascii = /^[\n\t -~]*$/.test(plain)
  if (!ascii && hasHiddenCharacters(plain)) {
    return { what: 'hidden characters', excerpt: visibleText(plain).slice(0, maxShown) }
  }
  // One word tells nobody anything, and most texts of a schema are one word.
  if (!/[\s<[]/.test(plain)) return undefined
  // Wide and decorated letters read like the plain ones.
  const read = ascii ? plain : plain.normalize('NFKC')
  for (const { what, pattern } of instructions) {
    const match = pattern.exec(read)
    if (match !== null) return { what, excerpt: visibleText(match[0].trim()).slice(0, maxShown) }
  }
  return undefined
}

interface Text {
  readonly where: string
  readonly text: string
}

function* textsOf({ name, definition }: Pick<ListedTool, 'name' | 'definition'>): Iterable<Text> {
  const { title, description, annotations, inputSchema, outputSchema } = definition
  yield { where: 'name', text: name }
  if (title !== undefined) yield { where: 'title', text: title }
  if (description !== undefined) yield { where: 'description', text: description }
  yield* textsIn(annotations ?? {}, '/annotations')
  yield* textsIn(inputSchema, '/inputSchema')
  yield* textsIn(outputSchema ?? {}, '/outputSchema')
}

/** Names too: a model reads those of parameters. */
function* textsIn(value: Json, where: string): Iterable<Text> {
  if (typeof value === 'string') yield { where, text: value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (!Array.isArray(value)) yield { where: `${where}/${key}`, text: key }
    yield* textsIn(part, `${where}/${key}`)
  }
}
