import { hasHiddenCharacters, unmask } from '@rollcall/plugin'

interface Instruction {
  readonly what: string
  readonly pattern: RegExp
  /** In what a tool returns the same words are ordinary unless more is said. */
  readonly inResults?: RegExp
}

const verbs = String.raw`\b(?:read|open|cat|send|include|pass|upload|post|copy|append|print|exfiltrate|leak|attach|fetch)\b`
const loot = String.raw`(?:~\/\.ssh|\bid_(?:rsa|ed25519)\b|\.aws\/credentials|\/etc\/(?:passwd|shadow)|\.cursor\/mcp\.json)`

// Few and narrow: a pattern that holds honest tools teaches people to accept without reading.
const instructions: readonly Instruction[] = [
  {
    what: 'text that sets instructions aside',
    pattern:
      /\b(ignore|disregard|forget|override)\b.{0,25}\b(previous|prior|above|earlier|preceding|system|all|any|your)\b.{0,25}\b(instructions?|prompts?|rules|guidelines|guardrails)\b/is,
  },
  {
    what: 'a tag that poses as the system',
    pattern:
      /<\s*\/?\s*(important|system|instructions?|secret|hidden|assistant|admin)(\s[^>]{0,40})?>|<\|[a-z_]{2,20}\|>|\[\/?INST\]/i,
    inResults:
      /<\s*(?:important|system|instructions?)\s*>[^<]{0,200}\b(?:you|must|always|never|send|ignore|first)\b|<\|(?:im_start|im_end|system|assistant|endoftext)\|>|\[INST\]/i,
  },
  {
    what: 'a line that poses as the system',
    pattern: /^\s{0,8}#{0,6}\s?(system|assistant)\s?(prompt|message)?\s?:\s?\S/im,
    inResults:
      /(?:^|[.!?]\s)\s{0,8}#{0,6}\s?(?:system|assistant)\s?(?:prompt|message)?\s?:\s?.{0,40}\b(?:you|ignore|always|never|must|from now on)\b/im,
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
    pattern: new RegExp(
      String.raw`(${loot}|\bread\b.{0,30}\b(key|credentials?|secrets?|passwords?|token|\.env) files?\b)|\b(contents?|value) of\b.{0,30}\b((private|ssh|api) keys?|key file|credentials|passwords?|secrets?|environment variables|\.env\b)`,
      'is',
    ),
    inResults: new RegExp(String.raw`${verbs}.{0,40}${loot}.{0,80}\b(?:and|as|to|in)\b`, 'is'),
  },
  {
    what: 'text that sends the conversation elsewhere',
    pattern:
      /\b(send|forward|upload|post|append|include|pass|copy|leak|exfiltrate)\b.{0,40}\b(conversation( history)?|chat history|system prompt|previous messages|all (the )?context)\b/is,
  },
]

// Letters that nobody sees and a model reads. The flags of three countries are written with them, after a black flag.
const tagLetters = /(?<!\u{1F3F4}[\u{E0061}-\u{E007A}]{0,6})[\u{E0020}-\u{E007E}]{2,}/gu

/** What a definition has that reads like instructions to a model, with the place; hidden characters count too. */
export function instructionsIn(text: string): { readonly what: string; readonly found: string } | undefined {
  // A line that ends as on Windows hides nothing.
  const plain = text.replaceAll('\r\n', '\n')
  const ascii = isAscii(plain)
  if (!ascii && hasHiddenCharacters(plain)) return { what: 'hidden characters', found: plain }
  // One word tells nobody anything, and most texts of a schema are one word.
  if (!/[\s<[]/.test(plain)) return undefined
  // Wide and decorated letters read like the plain ones.
  const read = ascii ? plain : unmask(plain.normalize('NFKC')).plain
  for (const { what, pattern } of instructions) {
    const match = pattern.exec(read)
    if (match !== null) return { what, found: match[0].trim() }
  }
  return undefined
}

/**
 * What a result has that reads like instructions to a model. Milder than for definitions: results are pages, logs and
 * source code, which may talk of anything and hold characters without width.
 */
export function injectionIn(text: string): string | undefined {
  if (!/[\s<[]/.test(text)) return undefined
  const ascii = isAscii(text)
  if (!ascii && text.search(tagLetters) !== -1) return 'text that only a model sees'
  const read = ascii ? text : unmask(text.normalize('NFKC')).plain
  for (const { what, pattern, inResults } of instructions) {
    if ((inResults ?? pattern).test(read)) return what
  }
  return undefined
}

function isAscii(text: string): boolean {
  return /^[\n\t -~]*$/.test(text)
}
