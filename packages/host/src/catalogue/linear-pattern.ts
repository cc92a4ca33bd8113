import { createRequire } from 'node:module'

const maxPatternLength = 4_096
const maxKept = 512
// The automaton of a program this small stays small, so that a character costs nearly nothing.
const smallProgram = 16

/** A foreign pattern on an engine whose time is linear in the text, whatever the pattern. */
export interface LinearPattern {
  test(text: string): boolean
  /** Instructions of the compiled program. */
  readonly size: number
  /** About how many steps of 50 ns a text of that length takes at worst. */
  cost(length: number): number
}

const requireHere = createRequire(import.meta.url)

const kept = new Map<string, LinearPattern | undefined>()

/**
 * Compiles a pattern of a JSON Schema; `undefined` for one that the linear engine can't run (look-around, back
 * references, huge repetitions) or that is longer than 4,096 characters.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function linearPattern(source: string): LinearPattern | undefined {
  if (kept.has(source)) return kept.get(source)
  const pattern = compile(source)
  const oldest = kept.size >= maxKept ? kept.keys().next() : undefined
  if (oldest?.done === false) kept.delete(oldest.value)
  kept.set(source, pattern)
  return pattern
}

function compile(source: string): LinearPattern | undefined {
  if (source.length > maxPatternLength) return undefined
  const { RE2JS } = loadEngine()
  try {
    const engine = RE2JS.compile(withUnicodeSpaces(RE2JS.translateRegExp(source)))
    const size = engine.programSize()
    return {
      test: (text) => engine.test(text),
      size,
      cost: (length) => Math.ceil(length * (size <= smallProgram ? 0.5 : size / 8)),
    }
  } catch {
    return undefined
  }
}

// Its tables are large and few schemas have patterns: loaded with the first one, at once, for a check must not wait.
function loadEngine(): typeof import('re2js') {
  return requireHere('re2js')
}

// In ECMAScript `\s` knows the spaces and line ends of Unicode, and `.` stops at four line ends instead of one.
function withUnicodeSpaces(source: string): string {
  const space = '\\s\\v\\x{feff}\\p{Z}'
  let inClass = false
  return source.replace(/\\[\s\S]|[[\].]/g, (token) => {
    if (token === '[') inClass = true
    if (token === ']') inClass = false
    if (token === '\\s') return inClass ? space : `[${space}]`
    if (token === '\\S' && !inClass) return `[^${space}]`
    if (token === '.' && !inClass) return '[^\\n\\r\\x{2028}\\x{2029}]'
    return token
  })
}
