import { randomUUID } from 'node:crypto'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { Clock, Host } from '@rollcall/host'
import { type Logger, type Principal, silentLogger } from '@rollcall/plugin'
import type { McpFace, ServeOptions } from '../mcp.ts'
import { createAnswering } from './create-answering.ts'
import { createSessionServer } from './create-session-server.ts'
import { foreignHeader } from './http/check-host.ts'
import { defaultStreamLimits, HttpTransport, type StreamLimits } from './http/http-transport.ts'
import { accepts, prefersEvents, readJson, toMessages } from './http/read-messages.ts'
import { refuse } from './http/refuse.ts'
import { type FaceLimits, type Session, SessionBook } from './http/session-book.ts'
import type { StatelessFace } from './stateless/create-stateless-face.ts'
import { isOfSessions, mayBeStateless } from './stateless/may-be-stateless.ts'
import { defaultParkingLimits, type ParkingLimits } from './stateless/parked-calls.ts'

type Peer = Parameters<McpFace['fetch']>[1]
type Found = NonNullable<Awaited<ReturnType<ServeOptions['authenticate']>>>

const defaultLimits: FaceLimits = { sessions: 20, openAnswers: 50, idleMs: 3_600_000, bodyBytes: 4 * 1024 * 1024 }
const sweepMs = 60_000

/**
 * Serves the registry to MCP clients over streamable HTTP, as a handler that can be mounted anywhere.
 *
 * `/mcp` is the profile `default`, `/mcp/<profile>` each of `options.profiles`. Every session has a server of its own over
 * the one registry and belongs to the principal that began it. Requests of the revision without sessions are served at
 * the same addresses, behind the same checks.
 */
export function createFace(
  host: Host,
  options: ServeOptions & {
    readonly logger?: Logger
    readonly limits?: Partial<FaceLimits & StreamLimits & ParkingLimits>
    readonly clock?: Pick<Clock, 'now'>
  },
): McpFace {
  const { authenticate, logger = silentLogger, clock = Date } = options
  const limits = { ...defaultLimits, ...defaultStreamLimits, ...defaultParkingLimits, ...options.limits }
  const allowedHosts = new Set(options.allowedHosts?.map((name) => name.toLowerCase()))
  const served = new Set(['default', ...options.profiles])
  const bare = options.bare === undefined ? {} : { bare: options.bare }
  const answering = createAnswering(host, { logger, ...bare })
  const book = new SessionBook(limits, clock)
  const sweeper = setInterval(() => book.sweep(), sweepMs).unref()
  let isClosed = false
  let stateless: Promise<StatelessFace> | undefined
  let openStateless: StatelessFace | undefined

  /** Loaded with the first request that may need it. */
  async function loadStateless(): Promise<StatelessFace> {
    const { createStatelessFace } = await import('./stateless/create-stateless-face.ts')
    openStateless = createStatelessFace(host, { answering, logger, limits, ...bare })
    return openStateless
  }

  async function answer(request: Request, { remoteAddress }: Peer): Promise<Response> {
    if (isClosed) return refuse('closed')
    const foreign = foreignHeader(request.headers, allowedHosts)
    if (foreign !== undefined) return refuse(foreign)
    const profile = profileOf(request.url)
    if (profile === undefined) return refuse('path')

    // Before the profile is looked up: who may not come in learns nothing about which there are.
    const found = await authenticate({ headers: request.headers, remoteAddress, profile })
    if (found === undefined) return refuse('unauthenticated')
    const isServed = served.has(profile) && host.profiles.has(profile)
    if (!isServed || (found.profile ?? profile) !== profile) return refuse('path')

    switch (request.method) {
      case 'POST':
        return post(request, found, profile)
      case 'GET':
        return stream(request, found.principal, profile)
      case 'DELETE':
        return end(request, found.principal, profile)
      default:
        return refuse('method')
    }
  }

  async function post(request: Request, { principal, over }: Found, profile: string): Promise<Response> {
    const read = await readJson(request, limits.bodyBytes)
    if (typeof read === 'string') return refuse(read)
    if (mayBeStateless(request.headers, read.body)) {
      stateless ??= loadStateless()
      const face = await stateless
      if (!(await face.isLegacy(request, read.body))) {
        if (isClosed) return refuse('closed')
        return hasRoomForAnswer(principal)
          ? face.post(request, read.body, { principal, profile }, over)
          : refuse('streams')
      }
    }
    const posted = toMessages(read.body)
    if (typeof posted === 'string') return refuse(posted)
    if (isClosed) return refuse('closed')
    const { messages, isBatch, initializes } = posted
    const asksSomething = messages.some((message) => 'method' in message && 'id' in message)
    if (asksSomething && !hasRoomForAnswer(principal)) return refuse('streams')

    const session = initializes
      ? await begin(request, principal, profile, over)
      : sessionOf(request, principal, profile)
    if (session instanceof Response) return session
    const asStream = prefersEvents(request.headers)
    return session.transport.post(messages, { isBatch, asStream, signal: request.signal })
  }

  function hasRoomForAnswer({ id }: Principal): boolean {
    return book.openAnswers(id) + (openStateless?.openAnswers(id) ?? 0) < limits.openAnswers
  }

  async function stream(request: Request, principal: Principal, profile: string): Promise<Response> {
    if (!accepts(request.headers, 'text/event-stream')) return refuse('accept')
    const session = sessionOf(request, principal, profile)
    if (session instanceof Response) return session
    const lastId = request.headers.get('last-event-id')
    if (lastId !== null) return session.transport.resume(lastId) ?? refuse('event')
    return session.transport.openStream() ?? refuse('streamOpen')
  }

  async function end(request: Request, principal: Principal, profile: string): Promise<Response> {
    const session = sessionOf(request, principal, profile)
    if (session instanceof Response) return session
    await book.end(session)
    return new Response(null, { status: 200 })
  }

  function sessionOf(request: Request, principal: Principal, profile: string): Session | Response {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return refuse(isOfSessions(request.headers) ? 'sessionMissing' : 'sessionless')
    const session = book.find(id, principal, profile)
    if (session === undefined) return refuse('session')
    const version = request.headers.get('mcp-protocol-version')
    if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return refuse('protocolVersion')
    return session
  }

  async function begin(
    request: Request,
    principal: Principal,
    profile: string,
    over: AbortSignal | undefined,
  ): Promise<Session | Response> {
    if (request.headers.has('mcp-session-id')) {
      const existing = sessionOf(request, principal, profile)
      return existing instanceof Response ? existing : refuse('initialized')
    }
    if (!book.hasRoomForSession(principal.id)) return refuse('sessions')
    const owner = { principal }
    const server = createSessionServer({ answering, profile, principal: () => owner.principal, logger })
    const session = { owner, profile, server, transport: new HttpTransport(randomUUID(), limits), seenAt: clock.now() }
    book.add(session, over)
    await server.connect(session.transport)
    return session
  }

  return {
    async fetch(request, peer) {
      try {
        return await answer(request, peer)
      } catch (error) {
        logger.error('A request to the MCP face failed in Rollcall itself.', { error })
        return refuse('fault')
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearInterval(sweeper)
      await (await stateless)?.[Symbol.asyncDispose]()
      answering[Symbol.dispose]()
      await book.endAll()
    },
  }
}

/** The profile that a path asks for, served or not; `undefined` for paths that are none of ours. */
function profileOf(url: string): string | undefined {
  const [, root, profile, ...more] = new URL(url).pathname.split('/')
  return root === 'mcp' && more.length === 0 && profile !== '' ? (profile ?? 'default') : undefined
}
