import { isRollcallError, type RollcallError } from '@rollcall/plugin'
import type { ResolvedServer } from '../declaration/resolved-server.ts'
import { connectFailure, givenUp, tooSlow } from '../peer/connect-failure.ts'
import type { ConnectPeerOptions } from '../peer/connect-peer.ts'
import type { McpPeer } from '../peer/mcp-peer.ts'
import { StdioTransport } from '../transports/stdio-transport.ts'
import { discover, otherEra } from './discover.ts'
import { StatelessTransport } from './stateless-transport.ts'

/** These say that one may not come in, or not now, in whichever revision. */
const sameInAnyEra: ReadonlySet<number> = new Set([401, 403, 407, 408, 429])

/** A peer, or why this server is to be spoken to in the older revisions; then nothing of it is left running. */
export type StatelessConnection = { readonly peer: McpPeer } | { readonly otherEra: RollcallError }

/**
 * Connects by the revision without sessions: asks the server what it is, once, and is ready. The SDK is loaded when the
 * server has said that it speaks this revision; for HTTP it carries that question too.
 *
 * @throws {RollcallError} `SERVER_UNAVAILABLE`, `SERVER_TIMEOUT` or `SERVER_PROTOCOL`; nothing is left running.
 */
export async function connectStateless(
  server: ResolvedServer,
  options: ConnectPeerOptions,
): Promise<StatelessConnection> {
  const { name } = server
  const { clientCapabilities, signal, connectTimeoutMs, logger } = options
  const transport = await openTransport(server, options)
  const { wire } = transport
  options.onVitals?.(() => wire.vitals())
  let ended: RollcallError | undefined
  const end = (reason: RollcallError) => {
    ended ??= reason
    void wire.close()
  }
  const timer = setTimeout(() => end(tooSlow(name, connectTimeoutMs)), connectTimeoutMs)
  const abort = () => end(givenUp(name, signal.reason))
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (signal.aborted) throw givenUp(name, signal.reason)
    await transport.start()
    // Over HTTP a server that does not answer is one that is down.
    const askBothWays = options.protocol === 'auto' && server.kind === 'stdio'
    const found = await discover(transport, { name, clientCapabilities, askBothWays, connectTimeoutMs })
    if (isRollcallError(found)) {
      await wire.close()
      return { otherEra: found }
    }
    const { createStatelessPeer } = await import('./stateless-peer.ts')
    const peer = await createStatelessPeer(server, transport, { clientCapabilities, discovered: found, logger })
    if (ended !== undefined) throw ended
    return { peer }
  } catch (error) {
    const hasLeft = transport.closedBy !== undefined
    const failure = connectFailure(server, ended, error, wire)
    await wire.close()
    // An older server may leave, or say anything at all, when it hears a word that it does not know.
    const isAuto = options.protocol === 'auto' && ended === undefined
    if (isAuto && (hasLeft || failure.code === 'SERVER_PROTOCOL')) return { otherEra: failure }
    const status = failure.data?.status
    if (typeof status === 'number' && status < 500 && !sameInAnyEra.has(status)) {
      return { otherEra: otherEra(name, `it answered with HTTP ${status}`) }
    }
    throw failure
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function openTransport(
  server: ResolvedServer,
  { fetch, maxMessageBytes }: ConnectPeerOptions,
): Promise<StatelessTransport> {
  const { name } = server
  if (server.kind === 'stdio') {
    return new StatelessTransport(name, {
      hasPerRequestStream: false,
      createWire: (hooks) => new StdioTransport(server, { ...hooks, maxMessageBytes }),
    })
  }
  const { HttpWire } = await import('./http-wire.ts')
  return new StatelessTransport(name, {
    hasPerRequestStream: true,
    createWire: (hooks) => new HttpWire(server, hooks, { fetch, maxMessageBytes }),
  })
}
