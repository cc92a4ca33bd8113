/** The literal parts of a template and what stands between them. */
type Part = { readonly literal: string } | { readonly operator: string }

const compiled = new Map<string, readonly Part[]>()
const maxCompiled = 1_000

/**
 * Whether an address can have been made from a template. Simple parts (`{id}`) stand for one segment, `{+path}`, `{/path}` and
 * `{#part}` for anything, `{?a,b}` and `{&a}` for a query or nothing. Takes time in proportion to the address for each part.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export function matchTemplate(template: string, uri: string): boolean {
  const parts = compiled.get(template) ?? compile(template)
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(template, parts)
  // The places in the address at which what was matched so far may end.
  let ends = new Set([0])
  for (const part of parts) {
    ends = 'literal' in part ? afterLiteral(ends, uri, part.literal) : afterExpression(ends, uri, part.operator)
    if (ends.size === 0) return false
  }
  return ends.has(uri.length)
}

function compile(template: string): readonly Part[] {
  return template
    .split(/(\{[^{}]*\})/)
    .filter((text) => text !== '')
    .map((text): Part => {
      if (!text.startsWith('{')) return { literal: text }
      const operator = /^\{([+#./;?&])/.exec(text)?.[1] ?? ''
      return { operator }
    })
}

function afterLiteral(ends: ReadonlySet<number>, uri: string, literal: string): Set<number> {
  return new Set([...ends].filter((at) => uri.startsWith(literal, at)).map((at) => at + literal.length))
}

/** Everything from the earliest place on that the expression may cover. */
function afterExpression(ends: ReadonlySet<number>, uri: string, operator: string): Set<number> {
  const next = new Set<number>()
  const stops = operator === '' ? '/?#' : operator === '?' || operator === '&' ? '#' : ''
  const mayBeEmpty = operator !== ''
  for (const from of ends) {
    if (mayBeEmpty) next.add(from)
    if ('?&#/.;'.includes(operator) && operator !== '' && uri[from] !== operator) continue
    for (let at = from; at < uri.length && !stops.includes(uri[at] ?? ''); at += 1) {
      if (next.has(at + 1) && at > from) break
      next.add(at + 1)
    }
  }
  return next
}
