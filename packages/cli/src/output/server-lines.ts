import type { ServerStatus } from '@rollcall/mcp'
import { duration } from './duration.ts'
import { oneLine } from './safe-text.ts'
import type { Screen } from './screen.ts'
import { wrap } from './wrap.ts'

/** The end of a server's error output is part of what is said about it, and may be long. */
const longest = 300

/** Servers that fail, for a person: with what, and when they are tried again. Nothing where all is well. */
export function serverLines(
  servers: readonly ServerStatus[],
  { width, paint }: Pick<Screen, 'width' | 'paint'>,
  now = Date.now(),
): readonly string[] {
  return servers.flatMap(({ appId, state, lastError, nextTryAt }) => {
    if (state !== 'failing') return []
    const said = oneLine(lastError?.message ?? `${appId} failed.`)
    const what = said.length > longest ? `${said.slice(0, longest)}…` : said
    const leftMs = nextTryAt === undefined ? 0 : nextTryAt - now
    const next = leftMs > 0 ? `The next try is in ${duration(leftMs)}.` : 'The next call starts it again.'
    const [first = '', ...rest] = wrap(`${what} ${next}`, width - 4)
    return [`  ${paint.yellow('!')} ${first}`, ...rest.map((line) => `    ${line}`)]
  })
}
