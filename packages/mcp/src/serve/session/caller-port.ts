import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CallerPort } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import { withoutInputKey } from '../../peer/input-key.ts'
import { ServerRequestError } from '../../peer/mcp-peer.ts'
import type { LogFilter } from './log-filter.ts'
import type { OpenRequests } from './open-requests.ts'

type Extra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1]
type Notification = Parameters<Extra['sendNotification']>[0]

/** Limits are the caller's; the SDK's own timer is never used. */
const neverMs = 2_147_483_647

const passed: ReadonlySet<string> = new Set([
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/elicitation/complete',
])

/**
 * The way to the client while one of its requests is worked on. What is asked goes over the stream of that request and is
 * given up when no request of the session is open any more, each until it is answered or cancelled; what is said later goes over the session's own stream.
 *
 * @param options.capabilities the client's own: nothing else is asked of it
 * @param options.session aborts when the session is over
 */
export function createCallerPort(
  server: Server,
  extra: Extra,
  options: {
    readonly capabilities: JsonObject
    readonly session: AbortSignal
    readonly requests: OpenRequests
    readonly log: LogFilter
  },
): { readonly caller: CallerPort; end(): void } {
  const { capabilities, session, requests, log } = options
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    requests.end()
  }
  requests.begin()
  extra.signal.addEventListener('abort', end, { once: true })

  async function ask(method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    const signals = isOver ? [signal, session] : [signal, session, requests.idle]
    const request = { method, ...(params && { params: withoutInputKey(params) }) } as Parameters<Server['request']>[0]
    // The SDK tells the client of a cancel whenever its signal aborts, be the answer there or not.
    const pending = new AbortController()
    const stop = AbortSignal.any(signals)
    const giveUp = () => pending.abort()
    if (stop.aborted) giveUp()
    stop.addEventListener('abort', giveUp, { once: true })
    const limits = { signal: pending.signal, timeout: neverMs }
    try {
      const answer = await (isOver
        ? server.request(request, ResultSchema, limits)
        : extra.sendRequest(request as Parameters<Extra['sendRequest']>[0], ResultSchema, limits))
      // Parsed from JSON by the SDK, so it is JSON again.
      return answer as unknown as JsonObject
    } catch (error) {
      if (!(error instanceof McpError)) throw new ServerRequestError(-32603, 'The client could not be asked.')
      throw new ServerRequestError(error.code, error.message.replace(/^MCP error -?\d+: /, ''))
    } finally {
      stop.removeEventListener('abort', giveUp)
    }
  }

  function notify(method: string, params: JsonObject): void {
    if (!passed.has(method) || session.aborted) return
    if (method === 'notifications/message' && !log.wants(params)) return
    const notification = { method, params } as Notification
    const isOfRequest = method === 'notifications/message' && !isOver
    // A client that has gone is no fault of the server.
    const sent = isOfRequest ? extra.sendNotification(notification) : server.notification(notification)
    sent.catch(() => {})
  }

  return {
    caller: {
      capabilities,
      ...(capabilities.elicitation !== undefined && {
        elicit: async (params, signal) => {
          if (!canElicit(capabilities.elicitation, params)) throw unable('that kind of elicitation')
          return ask('elicitation/create', params, signal)
        },
      }),
      ...(capabilities.sampling !== undefined && {
        sample: async (params, signal) => {
          if (!canSample(capabilities.sampling, params)) throw unable('sampling with tools')
          return ask('sampling/createMessage', params, signal)
        },
      }),
      ...(capabilities.roots !== undefined && { roots: (signal) => ask('roots/list', undefined, signal) }),
      notify,
    },
    end,
  }
}

/** No mode means a form, both in what a client can do and in what is asked. */
export function canElicit(capability: unknown, { mode = 'form' }: JsonObject): boolean {
  if (!isJsonObject(capability)) return false
  const { form, url } = capability
  return mode === 'url' ? url !== undefined : mode === 'form' && (form !== undefined || url === undefined)
}

/** Without `sampling.tools` a client is asked for plain messages only. */
export function canSample(capability: unknown, { tools, toolChoice }: JsonObject): boolean {
  return (
    (tools === undefined && toolChoice === undefined) || (isJsonObject(capability) && capability.tools !== undefined)
  )
}

/** What a server is told that asks for more than its client can do. */
export function unable(what: string): ServerRequestError {
  return new ServerRequestError(-32602, `The client is not capable of ${what}.`)
}
