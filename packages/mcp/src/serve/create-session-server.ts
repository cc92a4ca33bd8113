import { randomUUID } from 'node:crypto'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/sdk/types.js'
import type { CallingClient } from '@rollcall/host'
import type { JsonObject, Logger, Principal } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import type { Answering, ListChange } from './client-request.ts'
import { createCallerPort } from './session/caller-port.ts'
import { createLogFilter } from './session/log-filter.ts'
import { OpenRequests } from './session/open-requests.ts'
import { shownText } from './shown-text.ts'

// The SDK would build a schema compiler for every session; what a client answers is checked by who asked.
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'Nothing is asked for.' }),
}

/**
 * One session of one client over what both eras share; connect it to a transport.
 *
 * Closing the server ends the session and aborts its calls. A client that tells of other roots is not told on: a server
 * that asks for them again gets those of that moment.
 *
 * @param options.principal who the session belongs to, asked again at every request
 */
export function createSessionServer(options: {
  readonly answering: Answering
  readonly profile: string
  readonly principal: () => Principal
  readonly logger: Logger
}): Server {
  const { answering, profile, principal, logger } = options
  const ended = new AbortController()
  const session = randomUUID()
  const log = createLogFilter()
  const requests = new OpenRequests()
  const described = answering.describe({ principal: principal(), profile })

  const server = new Server(described.serverInfo as Implementation, {
    capabilities: described.capabilities as ServerCapabilities,
    instructions: described.instructions,
    jsonSchemaValidator: noValidator,
  })
  const capabilities = () => asJson(server.getClientCapabilities())
  const client = (): CallingClient => ({
    session,
    name: shownText(server.getClientVersion()?.name ?? 'unnamed', 100),
    ended: ended.signal,
  })

  // Handlers by schema would rebuild requests and results, and lose what the SDK doesn't know.
  server.removeRequestHandler('logging/setLevel')
  server.fallbackRequestHandler = async (request, extra) => {
    const { method } = request
    const params = asJson(request.params)
    const port = createCallerPort(server, extra, {
      capabilities: capabilities(),
      session: ended.signal,
      requests,
      log,
    })
    const token = extra._meta?.progressToken
    try {
      const result = await answering.answer({
        method,
        params,
        principal: principal(),
        profile,
        client: client(),
        caller: port.caller,
        signal: extra.signal,
        ...(token !== undefined && {
          onProgress: (progress) => {
            // A client that has gone is no fault of the call.
            extra
              .sendNotification({ method: 'notifications/progress', params: { progressToken: token, ...progress } })
              .catch(() => {})
          },
        }),
      })
      if (method === 'logging/setLevel') log.set(params.level)
      return result
    } finally {
      port.end()
    }
  }

  let unwatch: (() => void) | undefined
  server.oninitialized = () => {
    const who = {
      get principal() {
        return principal()
      },
      profile,
      capabilities: capabilities(),
    }
    unwatch?.()
    unwatch = answering.watch(who, (change) => void tellOf(server, change))
  }
  server.onclose = () => {
    unwatch?.()
    ended.abort()
  }
  server.onerror = (error) => logger.debug('A message of a client was not understood.', { profile, error })
  return server
}

async function tellOf(server: Server, change: ListChange): Promise<void> {
  try {
    if (change.tools) await server.sendToolListChanged()
    if (change.prompts) await server.sendPromptListChanged()
    if (change.resources) await server.sendResourceListChanged()
  } catch {
    // A client that has gone lists again when it comes back.
  }
}

/** What the SDK has parsed from JSON is JSON. */
function asJson(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
