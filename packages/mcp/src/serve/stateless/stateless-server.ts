import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Implementation,
  LOG_LEVEL_META_KEY,
  McpServer,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { JsonObject, Logger } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import type { Answering } from '../client-request.ts'
import { createLogFilter, isLogLevel } from '../session/log-filter.ts'
import { shownText } from '../shown-text.ts'
import { type createStatelessAnswer, type StatelessRequest, statelessMethods } from './answer-stateless.ts'
import type { Round } from './round-call.ts'

// The SDK would build a schema compiler for every request; what a client answers is checked by who asked.
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'Nothing is asked for.' }),
}

/**
 * Speaks the stateless revision through the SDK: for one request over HTTP, or for one connection over streams.
 *
 * @param options.schemaOf the input schema of a tool that the caller sees: some of its arguments may come as headers
 */
export function createStatelessServer(options: {
  readonly answering: Answering
  readonly answer: ReturnType<typeof createStatelessAnswer>
  readonly who: StatelessRequest['who']
  readonly schemaOf: (name: string) => JsonObject | undefined
  readonly logger: Logger
}): McpServer {
  const { answering, answer, who, logger } = options
  const { serverInfo, capabilities, instructions } = answering.describe(who)
  const server = new SchemaServer(options.schemaOf, serverInfo as Implementation, {
    capabilities: capabilities as ServerCapabilities,
    instructions,
    jsonSchemaValidator: noValidator,
  })
  // Handlers by schema would rebuild requests and results, and lose what the SDK doesn't know.
  for (const method of statelessMethods) server.server.removeRequestHandler(method)
  server.server.fallbackRequestHandler = async ({ method, params }, context) => {
    const state = context.mcpReq.requestState()
    const asked = asJson(params)
    const logLevel = asJson(context.mcpReq.envelope)[LOG_LEVEL_META_KEY]
    return answer({
      method,
      params: asked,
      who,
      clientName: nameIn(asJson(context.mcpReq.envelope)[CLIENT_INFO_META_KEY]),
      capabilities: asJson(asJson(context.mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]),
      ...(state !== undefined && { state }),
      round: roundOf(context, asked),
      wantsProgress: progressTokenOf(asked) !== undefined,
      ...(isLogLevel(logLevel) && { logLevel }),
    })
  }
  server.server.onerror = (error) => logger.debug('A request of a client was not served.', { ...who, error })
  return server
}

/** The SDK compares the headers that stand for arguments with them, by the schema that it is told here. */
class SchemaServer extends McpServer {
  readonly #schemaOf: (name: string) => JsonObject | undefined

  constructor(schemaOf: (name: string) => JsonObject | undefined, ...parts: ConstructorParameters<typeof McpServer>) {
    super(...parts)
    this.#schemaOf = schemaOf
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemaOf(name)
  }
}

function roundOf({ mcpReq }: ServerContext, params: JsonObject): Round {
  const level = asJson(mcpReq.envelope)[LOG_LEVEL_META_KEY]
  const filter = createLogFilter()
  if (level !== undefined) filter.set(level)
  const progressToken = progressTokenOf(params)
  const tell = (method: 'notifications/message' | 'notifications/progress', told: JsonObject) => {
    // A client that has gone is no fault of the call.
    mcpReq.notify({ method, params: told } as Parameters<typeof mcpReq.notify>[0]).catch(() => {})
  }
  return {
    signal: mcpReq.signal,
    responses: asJson(mcpReq.inputResponses),
    progress: (progress) => {
      if (progressToken !== undefined) tell('notifications/progress', { ...progress, progressToken })
    },
    // A client that names no level wants no messages.
    log: (message) => {
      if (level !== undefined && filter.wants(message)) tell('notifications/message', message)
    },
  }
}

function progressTokenOf({ _meta }: JsonObject): string | number | undefined {
  const token = isJsonObject(_meta) ? _meta.progressToken : undefined
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}

function nameIn(info: unknown): string {
  return isJsonObject(info) && typeof info.name === 'string' ? shownText(info.name, 100) : 'unnamed'
}

/** What the SDK has parsed from JSON is JSON. */
function asJson(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
