import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { isRollcallError, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import manifest from '../../package.json' with { type: 'json' }
import type { ResolvedHttp, ResolvedServer } from '../declaration/resolved-server.ts'
import { connectFailure, givenUp, tooSlow } from '../peer/connect-failure.ts'
import type { ConnectPeer, ConnectPeerOptions } from '../peer/connect-peer.ts'
import { hideIn } from '../peer/hide-in.ts'
import { type McpPeer, type OnServerRequest, ServerRequestError } from '../peer/mcp-peer.ts'
import { repeatLater } from '../peer/repeat-later.ts'
import { hideSecrets } from '../transports/output-tail.ts'
import { StdioTransport } from '../transports/stdio-transport.ts'
import type { Wire } from '../transports/wire.ts'
import { HttpTransport } from './http-transport.ts'
import { OpenQuestions } from './open-questions.ts'
import { type SdkHooks, SdkTransport } from './sdk-transport.ts'
import { neverMs, requestOf } from './session-request.ts'
import { SseTransport } from './sse-transport.ts'

const methodNotFound = -32_601
const internalError = -32_603

/** With these an endpoint of the older transport answers to a request of the newer one. */
const olderEndpoint: ReadonlySet<unknown> = new Set([400, 404, 405])

/**
 * Connects by the revisions of the protocol that begin with `initialize`. An endpoint that does not know streamable HTTP
 * is asked for the transport before it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export const connectSession: ConnectPeer = async (server, options) => {
  const { startedAt = performance.now() } = options
  const transport = new SdkTransport(server.name, (hooks) => createWire(server, options, hooks))
  const { wire } = transport
  options.onVitals?.(() => wire.vitals())
  const client = new Client(
    { name: 'rollcall', version: manifest.version },
    // The seam speaks plain JSON; here it becomes the SDK's type of capabilities.
    { capabilities: options.clientCapabilities as Record<string, never> },
  )
  // The SDK answers `ping` itself and aborts the signal when the server cancels what it asked.
  const questions = new OpenQuestions()
  client.fallbackRequestHandler = ({ method, params }, { signal }) =>
    questions.during(() => answerServer(options.onServerRequest, method, (params ?? {}) as JsonObject, signal))
  let ended: RollcallError | undefined
  const end = (reason: RollcallError) => {
    ended ??= reason
    void wire.close()
  }
  const leftMs = Math.max(1, options.connectTimeoutMs - (performance.now() - startedAt))
  const timer = setTimeout(() => end(tooSlow(server.name, options.connectTimeoutMs)), leftMs)
  const abort = () => end(givenUp(server.name, options.signal.reason))
  options.signal.addEventListener('abort', abort, { once: true })
  try {
    if (options.signal.aborted) throw givenUp(server.name, options.signal.reason)
    await client.connect(transport, { timeout: neverMs })
    if (ended !== undefined) throw ended
  } catch (error) {
    // Closing gives a reason of its own, so what is known is kept first.
    const known = ended ?? (error instanceof RollcallError ? undefined : transport.closedBy)
    await wire.close()
    const failure = connectFailure(server, known, error, wire)
    const isGreeted = transport.protocolVersion !== ''
    if (server.kind === 'stdio' || server.transport !== undefined || isGreeted || !isOlder(failure)) throw failure
    return connectOlder(server, { ...options, startedAt }, failure)
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', abort)
  }
  return createPeer(server, client, transport, questions)
}

function isOlder({ data }: RollcallError): boolean {
  return olderEndpoint.has(data?.status)
}

/** @throws {RollcallError} `refusal` for one that knows neither transport. */
async function connectOlder(
  server: ResolvedHttp,
  options: ConnectPeerOptions,
  refusal: RollcallError,
): Promise<McpPeer> {
  try {
    return await connectSession({ ...server, transport: 'sse' }, options)
  } catch (error) {
    throw isRollcallError(error) && error.data?.isNoStream === true ? refusal : error
  }
}

function createPeer(
  { name, secrets }: ResolvedServer,
  client: Client,
  transport: SdkTransport,
  questions: OpenQuestions,
): McpPeer {
  const notified = new Set<(method: string, params: Json) => void>()
  const closed = new Set<(reason: RollcallError) => void>()
  client.fallbackNotificationHandler = async ({ method, params }) => {
    const said = (params ?? {}) as Json
    // A log message may repeat what the server was given.
    const shown = method === 'notifications/message' ? hideIn(said, secrets) : said
    for (const listener of notified) listener(method, shown)
  }
  client.onclose = () => {
    const reason = transport.closedBy
    if (reason !== undefined) for (const listener of closed) listener(reason)
  }
  const info = client.getServerVersion()
  const instructions = client.getInstructions()
  return {
    era: 'session',
    protocolVersion: transport.protocolVersion,
    server: {
      name: info?.name ?? '',
      version: info?.version ?? '',
      // Parsed from JSON by the SDK, so it is JSON again.
      capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
      ...(instructions !== undefined && { instructions }),
    },
    async request(method, params, options) {
      const answer = await repeatLater({ ...options, method }, (limits) =>
        requestOf(name, client, transport, { ...options, ...limits, method, params, questions }),
      )
      if (answer.ok) return answer
      // An error is shown to people; a server may repeat in it what it was given.
      const { code, message, data } = answer.error
      const shown = { code, message: hideSecrets(message, secrets) }
      return { ok: false, error: data === undefined ? shown : { ...shown, data: hideIn(data, secrets) } }
    },
    notify(method, params) {
      // One that can not be sent is dropped: it says nothing that anybody waits for.
      client.notification({ method, params: { ...params } }).catch(() => {})
    },
    onNotification: (listener) => listenIn(notified, listener),
    onClosed: (listener) => {
      // It may have left between its handshake and this.
      if (transport.closedBy !== undefined) listener(transport.closedBy)
      return listenIn(closed, listener)
    },
    [Symbol.asyncDispose]: () => transport.close(),
  }
}

/** @throws {ServerRequestError} what the server is told instead of an answer. */
async function answerServer(
  onServerRequest: OnServerRequest | undefined,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<Record<string, Json>> {
  if (onServerRequest === undefined) throw new ServerRequestError(methodNotFound, `${method} is not known here.`)
  try {
    return { ...(await onServerRequest(method, params, signal)) }
  } catch (error) {
    if (error instanceof ServerRequestError) throw error
    // Whatever went wrong here is not the server's to read.
    throw new ServerRequestError(internalError, 'The client could not answer.')
  }
}

function createWire(server: ResolvedServer, options: ConnectPeerOptions, hooks: SdkHooks): Wire {
  const { maxMessageBytes, fetch } = options
  if (server.kind === 'stdio') return new StdioTransport(server, { ...hooks, maxMessageBytes })
  const Transport = server.transport === 'sse' ? SseTransport : HttpTransport
  return new Transport(server, { ...hooks, maxMessageBytes, fetch })
}

function listenIn<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
