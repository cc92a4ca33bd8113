import { silentLogger } from '@rollcall/plugin'
import { onTestFinished } from 'vitest'
import type { ResolveHost } from '../../../host/src/outbound/checked-lookup.ts'
import { createOutboundFetch } from '../../../host/src/outbound/create-outbound-fetch.ts'
import type { ResolvedHttp } from '../../src/declaration/resolved-server.ts'
import { connectPeer } from '../../src/peer/connect-peer.ts'
import type { McpPeer } from '../../src/peer/mcp-peer.ts'

/** A peer of one HTTP server, without anything around it; gone with the test. */
export async function connectTo(
  url: string,
  more: Partial<ResolvedHttp> & {
    readonly connectTimeoutMs?: number
    readonly maxMessageBytes?: number
    readonly resolve?: ResolveHost
  } = {},
): Promise<McpPeer> {
  const { connectTimeoutMs = 10_000, maxMessageBytes = 200_000, resolve, ...server } = more
  const outbound = createOutboundFetch(resolve && { resolve })
  onTestFinished(() => outbound[Symbol.asyncDispose]())
  const peer = await connectPeer(
    {
      kind: 'http',
      name: 'web',
      url: new URL(url),
      headers: {},
      secrets: [],
      allowPrivate: true,
      transport: undefined,
      ...server,
    },
    {
      clientCapabilities: {},
      protocol: 'session',
      fetch: outbound.fetch,
      logger: silentLogger,
      signal: new AbortController().signal,
      connectTimeoutMs,
      maxMessageBytes,
    },
  )
  onTestFinished(() => peer[Symbol.asyncDispose]())
  return peer
}

/** How a request may take its time, where a test says nothing else. */
export const inTime: { readonly signal: AbortSignal; readonly timeoutMs: number } = {
  signal: new AbortController().signal,
  timeoutMs: 5_000,
}
