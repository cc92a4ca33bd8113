import type { Json } from '@rollcall/plugin'
import { RollcallError, visibleText } from '@rollcall/plugin'
import type { McpLimits } from '../mcp.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import { type LiveList, toLiveList } from './live-list.ts'

const methodNotFound = -32_601

/** Whose tools, and how much of them. */
export interface ListOptions {
  readonly appId: string
  readonly limits: McpLimits
  readonly signal: AbortSignal
  /** Milliseconds for all pages together. */
  readonly timeoutMs: number
}

/**
 * Reads every page of a server's tools. Nothing is checked but what is needed to tell tools apart, so that one bad
 * tool costs itself only; a list without end is cut at the limits, with a finding.
 *
 * @throws {RollcallError} `SERVER_PROTOCOL` for an answer that is no list, and what `request` throws.
 */
export async function listTools(peer: McpPeer, options: ListOptions): Promise<LiveList> {
  const { appId, limits, signal } = options
  const end = performance.now() + options.timeoutMs
  const tools: Json[] = []
  const cursors = new Set<string>()
  let bytes = 0
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    const timeoutMs = Math.max(1, end - performance.now())
    const answer = await peer.request('tools/list', cursor === undefined ? {} : { cursor }, { signal, timeoutMs })
    if (!answer.ok) {
      // A server without tools need not know the method.
      if (answer.error.code === methodNotFound && page === 1) return toLiveList(options, tools)
      throw noList(appId, `it answered "${visibleText(answer.error.message)}"`)
    }
    const { tools: listed, nextCursor } = answer.result
    if (!Array.isArray(listed)) throw noList(appId, 'its "tools" is no list')
    bytes += Buffer.byteLength(JSON.stringify(listed))
    if (bytes > limits.listBytes) return toLiveList(options, tools, `is over ${limits.listBytes} bytes`)
    tools.push(...listed)
    if (typeof nextCursor !== 'string') return toLiveList(options, tools)
    if (tools.length >= limits.tools) return toLiveList(options, tools, `has more than ${limits.tools} tools`)
    if (cursors.has(nextCursor)) return toLiveList(options, tools, 'comes back to a page it had')
    if (page >= limits.pages) return toLiveList(options, tools, `has more than ${limits.pages} pages`)
    cursors.add(nextCursor)
    cursor = nextCursor
  }
}

function noList(appId: string, why: string): RollcallError {
  return new RollcallError('SERVER_PROTOCOL', `${appId} did not list its tools: ${why}.`, {
    hint: 'Update the server, or report it to its author.',
  })
}
