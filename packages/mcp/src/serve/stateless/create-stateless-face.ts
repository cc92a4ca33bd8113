import { createMcpHandler, isLegacyRequest, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server'
import type { Host } from '@rollcall/host'
import type { JsonObject, Logger } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import type { Answering } from '../client-request.ts'
import { refuse } from '../http/refuse.ts'
import { servedNames } from '../served-names.ts'
import { createStatelessAnswer, type StatelessRequest, statelessMethods } from './answer-stateless.ts'
import { type Listening, prepareListening } from './listening.ts'
import { ParkedCalls, type ParkingLimits } from './parked-calls.ts'
import { findServedTool } from './served-tool.ts'
import { createStatelessServer } from './stateless-server.ts'

/** Serves the stateless revision over HTTP, behind the checks that it shares with the sessions. */
export interface StatelessFace extends AsyncDisposable {
  /** Whether a request is of the session revisions. */
  isLegacy(request: Request, body: unknown): Promise<boolean>
  /** @param over aborts as soon as the principal is known no more */
  post(request: Request, body: unknown, who: StatelessRequest['who'], over?: AbortSignal): Promise<Response>
  /** Requests of this principal that are being answered, streams that it listens to among them. */
  openAnswers(principalId: string): number
}

interface Exchange {
  readonly principalId: string
  handler?: McpHttpHandler
}

export function createStatelessFace(
  host: Host,
  options: {
    readonly answering: Answering
    readonly logger: Logger
    readonly limits: ParkingLimits
    readonly bare?: string
  },
): StatelessFace {
  const { answering, logger } = options
  const names = servedNames(host, options.bare)
  const parked = new ParkedCalls(options.limits)
  const answer = createStatelessAnswer({ answering, host, names, parked })
  const exchanges = new Set<Exchange>()
  let isClosed = false

  async function post(
    request: Request,
    body: unknown,
    who: StatelessRequest['who'],
    over?: AbortSignal,
  ): Promise<Response> {
    const exchange: Exchange = { principalId: who.principal.id }
    exchanges.add(exchange)
    const leave = () => {
      parked.endOf(who.principal.id)
      void exchange.handler?.close()
    }
    over?.addEventListener('abort', leave, { once: true })
    const message = isJsonObject(body) ? body : {}
    let listening: Listening | undefined
    let server: McpServer | undefined
    const end = () => {
      exchanges.delete(exchange)
      // A parked call lives on without an exchange.
      over?.removeEventListener('abort', leave)
      if (over !== undefined) parked.watch(who.principal.id, over)
      listening?.release()
    }
    const makeServer = () => {
      server = serverFor(message, who)
      server.server.onclose = end
      return server
    }
    try {
      if (message.method === 'subscriptions/listen') {
        listening = await prepareListening({ answering, who, onEnd: end }, message)
      }
      if (isClosed) return refuse('closed')
      exchange.handler = createMcpHandler(makeServer, {
        legacy: 'reject',
        onerror: (error) => logger.debug('A request of a client was not served.', { ...who, error }),
        ...(listening && { bus: listening.bus }),
      })
      return unstored(await exchange.handler.fetch(request, { parsedBody: listening?.message ?? body }))
    } finally {
      // What goes on is ended by the SDK; what was refused is not.
      const goesOn = listening === undefined ? server?.isConnected() === true : listening.isOpen()
      if (!goesOn) end()
    }
  }

  function serverFor({ method }: JsonObject, who: StatelessRequest['who']) {
    const server = createStatelessServer({
      answering,
      answer,
      who,
      schemaOf: (name) => findServedTool(host, names, who, name)?.definition.inputSchema,
      logger,
    })
    // What nobody handles is answered with 404, as the transport wants it.
    if (typeof method !== 'string' || !statelessMethods.has(method)) delete server.server.fallbackRequestHandler
    return server
  }

  return {
    isLegacy: (request, body) => isLegacyRequest(request, body),
    post,
    openAnswers(principalId) {
      let open = 0
      for (const exchange of exchanges) if (exchange.principalId === principalId) open += 1
      return open
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      parked[Symbol.dispose]()
      await Promise.all([...exchanges].map(({ handler }) => handler?.close()))
    },
  }
}

function unstored(response: Response): Response {
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
  return response
}
