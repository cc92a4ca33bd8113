import { type Json, RollcallError, visibleText } from '@rollcall/plugin'
import type { McpLimits } from '../mcp.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'

const methodNotFound = -32_601

/** One of a server's lists. */
export interface PagedList {
  readonly method: 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'
  /** Where the answer holds it. */
  readonly field: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'
  /** For messages: `tools`. */
  readonly what: string
  /** More than this is cut. */
  readonly most: number
}

/** Whose lists, and how much of them. */
export interface ListOptions {
  readonly appId: string
  readonly limits: McpLimits
  readonly signal: AbortSignal
  /** Milliseconds for everything together. */
  readonly timeoutMs: number
}

/** What was listed, unchecked, and why it is not whole, where it isn't. */
export interface Pages {
  readonly items: readonly Json[]
  readonly cut?: string
}

/**
 * Reads every page of one list; a list without end is cut at the limits. A server that does not know the method lists
 * nothing.
 *
 * @throws {RollcallError} `SERVER_PROTOCOL` for an answer that is no list, and what `request` throws.
 */
export async function listPages(peer: McpPeer, list: PagedList, options: ListOptions): Promise<Pages> {
  const { method, field, what, most } = list
  const { appId, limits, signal } = options
  const end = performance.now() + options.timeoutMs
  const items: Json[] = []
  const cursors = new Set<string>()
  const cutAt = (cut: string): Pages => ({ items: items.slice(0, most), cut })
  let bytes = 0
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    const timeoutMs = Math.max(1, end - performance.now())
    const answer = await peer.request(method, cursor === undefined ? {} : { cursor }, { signal, timeoutMs })
    if (!answer.ok) {
      if (answer.error.code === methodNotFound && page === 1) return { items }
      throw noList(appId, what, `it answered "${visibleText(answer.error.message)}"`)
    }
    const { [field]: listed, nextCursor } = answer.result
    if (!Array.isArray(listed)) throw noList(appId, what, `its "${field}" is no list`)
    bytes += Buffer.byteLength(JSON.stringify(listed))
    if (bytes > limits.listBytes) return cutAt(`is over ${limits.listBytes} bytes`)
    items.push(...listed)
    if (items.length > most || (items.length === most && typeof nextCursor === 'string')) {
      return cutAt(`has more than ${most} ${what}`)
    }
    if (typeof nextCursor !== 'string') return { items }
    if (cursors.has(nextCursor)) return cutAt('comes back to a page it had')
    if (page >= limits.pages) return cutAt(`has more than ${limits.pages} pages`)
    cursors.add(nextCursor)
    cursor = nextCursor
  }
}

function noList(appId: string, what: string, why: string): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${appId} did not list its ${what}: ${why}.`, {
    hint: 'Update the server, or report it to its author.',
  })
}
