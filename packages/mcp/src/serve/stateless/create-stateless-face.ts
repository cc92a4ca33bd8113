import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import type { Host } from '@rollcall/host'
import type { JsonObject, Logger } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import type { Answering } from '../client-request.ts'
import { servedNames } from '../served-names.ts'
import { createStatelessAnswer, isStatelessMethod, type StatelessRequest } from './answer-stateless.ts'
import { type Listening, prepareListening } from './listening.ts'
import { ParkedCalls, type ParkingLimits } from './parked-calls.ts'
import { findServedTool } from './served-tool.ts'
import { createStatelessServer } from './stateless-server.ts'

/** Serves the stateless revision over HTTP, behind the checks that it shares with the sessions. */
export interface StatelessFace extends AsyncDisposable {
  /** Whether a request is of the session revisions. */
  isLegacy(request: Request, body: unknown): Promise<boolean>
  post(request: Request, body: unknown, who: StatelessRequest['who']): Promise<Response>
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

  async function post(request: Request, body: unknown, who: StatelessRequest['who']): Promise<Response> {
    const exchange: Exchange = { principalId: who.principal.id }
    exchanges.add(exchange)
    const message = isJsonObject(body) ? body : {}
    let listening: Listening | undefined
    let isHeld = false
    const end = () => {
      exchanges.delete(exchange)
      listening?.release()
    }
    try {
      if (message.method === 'subscriptions/listen') {
        const prepared = await prepareListening(
          { answering, who, capabilities: capabilitiesIn(message), onEnd: end },
          message,
        )
        listening = {
          ...prepared,
          bus: {
            publish: (event) => prepared.bus.publish(event),
            subscribe(listener) {
              isHeld = true
              return prepared.bus.subscribe(listener)
            },
          },
        }
      }
      exchange.handler = createMcpHandler(
        () => {
          const server = serverFor(message, who)
          server.server.onclose = end
          isHeld = listening === undefined
          return server
        },
        {
          legacy: 'reject',
          onerror: (error) => logger.debug('A request of a client was not served.', { ...who, error }),
          ...(listening && { bus: listening.bus }),
        },
      )
      const response = await exchange.handler.fetch(request, { parsedBody: listening?.message ?? body })
      return unstored(response)
    } finally {
      if (!isHeld) end()
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
    if (typeof method !== 'string' || !isStatelessMethod(method)) delete server.server.fallbackRequestHandler
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
      parked[Symbol.dispose]()
      await Promise.all([...exchanges].map(({ handler }) => handler?.close()))
    },
  }
}

function capabilitiesIn({ params }: JsonObject): JsonObject {
  const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {}
  const declared = meta[CLIENT_CAPABILITIES_META_KEY]
  return isJsonObject(declared) ? declared : {}
}

function unstored(response: Response): Response {
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
  return response
}
