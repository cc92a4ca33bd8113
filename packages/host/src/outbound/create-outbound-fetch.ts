import { assertMayReach, unreadable } from './assert-may-reach.ts'
import { type ResolveHost, resolveHost } from './checked-lookup.ts'
import { type Agents, createAgents, type OutboundRoute } from './create-agents.ts'
import { nextHop } from './next-hop.ts'
import { closed, outboundFault } from './outbound-fault.ts'
import type { OutboundFetch, OutboundOptions } from './outbound-fetch.ts'
import { sendOnce } from './send-once.ts'

export interface CreateOutboundOptions extends OutboundRoute {
  /** Default: the system's. */
  readonly resolve?: ResolveHost
}

/** The network fetch of one host. Disposing it ends every connection, and it fetches nothing any more. */
export interface Outbound extends AsyncDisposable {
  readonly fetch: OutboundFetch
}

/**
 * Makes the one network fetch of a host. It resolves names itself and connects to the addresses that it has checked;
 * follows redirects only within their origin; knows no proxy but the configured one. Opens nothing by itself.
 */
export function createOutboundFetch(options: CreateOutboundOptions = {}): Outbound {
  const { resolve = resolveHost, ...route } = options
  let agents: Promise<Agents> | undefined
  let isClosed = false

  const fetch: OutboundFetch = async (input, init, by) => {
    let url = URL.parse(String(input))
    if (url === null) throw unreadable(by)
    for (let hops = 0; ; hops += 1) {
      assertMayReach(url, by)
      if (isClosed) throw closed(by)
      agents ??= createAgents(route, resolve)
      const response = await send(await agents, url, init, by)
      const next = nextHop(response, { url, init, by, hops })
      if (next === undefined) return response
      await response.body?.cancel()
      url = next
    }
  }

  return {
    fetch,
    async [Symbol.asyncDispose]() {
      isClosed = true
      await (await agents)?.close()
    },
  }
}

async function send(agents: Agents, url: URL, init: RequestInit, by: OutboundOptions): Promise<Response> {
  let sent = false
  try {
    return await sendOnce(agents.for(url, by.allowPrivate), url, init, {
      answerWithinMs: by.answerWithinMs,
      onSending() {
        sent = true
      },
    })
  } catch (error) {
    // Whoever aborts knows why, and is told nothing else.
    if (init.signal?.aborted === true) throw init.signal.reason
    throw outboundFault(error, { url, by, sent })
  }
}
