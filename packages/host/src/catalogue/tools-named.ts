// Of more than one word: a name of one word is a word.
const name = '[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+'
const quote = '[`"\']?'
const spokenOf = new RegExp(
  String.raw`\b(?:[Tt]ools?|[Cc]all(?:s|ed|ing)?|[Uu]s(?:e|es|ed|ing)|[Ii]nvok(?:e|es|ed|ing)|[Rr]un(?:s|ning)?|[Bb]efore|[Aa]fter|[Ii]nstead of|than|[Ww]hen(?:ever)?)\s{1,3}(?:the\s)?${quote}(${name})(?![A-Za-z0-9_-])|(?<![A-Za-z0-9_-])(${name})${quote}\s{1,3}(?:tool|is (?:called|used|invoked|run))\b`,
  'g',
)

/** What a text speaks of as a tool: `before send_message`, `the sendMessage tool`. */
export function toolsNamedIn(text: string): readonly string[] {
  if (!/\s/.test(text)) return []
  return Array.from(text.matchAll(spokenOf), ([, after = '', before = '']) => after || before)
}

/** The tools of all providers by their own names: whose each is. */
export type ToolOwners = ReadonlyMap<string, ReadonlySet<string>>

/** Says whose tools are whose; what lists no names is passed over. */
export function ownersOf(
  providers: readonly { readonly appId: string; readonly tools: readonly unknown[] }[],
): ToolOwners {
  const owners = new Map<string, Set<string>>()
  for (const { appId, tools } of providers) {
    for (const tool of tools) {
      const own: unknown = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined
      if (typeof own !== 'string') continue
      const known = owners.get(own)
      if (known === undefined) owners.set(own, new Set([appId]))
      else known.add(appId)
    }
  }
  return owners
}
