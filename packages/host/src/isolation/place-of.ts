import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { redactSecrets, visibleText } from '@rollcall/plugin'

// A stack is text that a plugin may write itself.
const maxReadLength = 64_000
const maxLines = 200
const maxDepth = 8

/**
 * Where in a plugin's folder an error came from: `at src/plugin.ts:12:5`, without a column for a file that can't be
 * read as code. Looks into the causes too, innermost first. Never throws.
 *
 * @param folder the plugin's real path; without one there is no place.
 */
export function placeOf(error: unknown, folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined
  const chain: unknown[] = []
  try {
    for (let one = error; one instanceof Error && chain.length < maxDepth && !chain.includes(one); one = one.cause)
      chain.push(one)
    for (const one of chain.reverse()) {
      const place = placeInStack(one, folder)
      if (place !== undefined) return place
    }
  } catch {
    // Reading a foreign error runs its getters, and those may throw.
  }
  return undefined
}

function placeInStack(error: unknown, folder: string): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined
  if (typeof stack !== 'string') return undefined
  const lines = stack.slice(0, maxReadLength).split('\n').slice(0, maxLines)
  // Node writes the place of what it can't parse above everything else.
  const head = error instanceof SyntaxError ? /^(\S.*):(\d+)$/.exec(lines[0] ?? '') : null
  const places = [
    ...(head === null ? [] : [head]),
    ...lines.map((line) => /^\s+at (?:.*?\()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*):(\d+:\d+)\)?$/.exec(line)),
  ]
  for (const place of places) {
    const file = place?.[1] === undefined ? undefined : within(place[1], folder)
    if (file !== undefined) return visibleText(redactSecrets(`at ${file}:${place?.[2]}`))
  }
  return undefined
}

/** The path below the folder; what the plugin has installed is not its own code. */
function within(place: string, folder: string): string | undefined {
  const path = relative(folder, place.startsWith('file:') ? fileURLToPath(place.replace(/[?#].*$/, '')) : place)
  const parts = path.split(sep)
  return path === '' || parts[0] === '..' || isAbsolute(path) || parts.includes('node_modules')
    ? undefined
    : parts.join('/')
}
