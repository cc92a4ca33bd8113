import type { McpServer, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Host } from '@rollcall/host'
import type { JsonObject, Logger } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import type { Answering } from '../client-request.ts'
import { servedNames } from '../served-names.ts'
import { createStatelessAnswer, type StatelessRequest } from './answer-stateless.ts'
import { askedResources, capabilitiesIn, withResources } from './listening.ts'
import { OpenRequests } from './open-requests.ts'
import { defaultParkingLimits, ParkedCalls } from './parked-calls.ts'
import { watchResources } from './resource-watches.ts'
import { findServedTool } from './served-tool.ts'
import { createStatelessServer } from './stateless-server.ts'

/** The stateless revision on one connection of one client. */
export interface StatelessConnection extends AsyncDisposable {
  receive(message: JsonObject): void
  /** Resolves when no request is open, and at the latest after `limitMs`. */
  answered(limitMs: number): Promise<void>
}

type Sent = Parameters<Transport['send']>[0]

/** @param options.send writes a message to the client */
export function createStatelessConnection(
  host: Host,
  options: {
    readonly answering: Answering
    readonly who: StatelessRequest['who']
    readonly logger: Logger
    readonly send: (message: Sent) => Promise<void>
    readonly bare?: string
  },
): StatelessConnection {
  const { answering, who, logger } = options
  const names = servedNames(host, options.bare)
  const parked = new ParkedCalls(defaultParkingLimits)
  const answer = createStatelessAnswer({ answering, host, names, parked })
  const open = new OpenRequests()
  const listeners = new Map<unknown, ListenerState>()
  let server: McpServer | undefined

  const channel: Transport = {
    start: async () => {},
    send(message) {
      if (!('method' in message)) open.settle(message.id)
      // One that was refused listens to nothing.
      if ('error' in message) endListening(message.id)
      return options.send(message)
    },
    close: async () => channel.onclose?.(),
  }
  const serving = serveStdio(
    () => {
      server = createStatelessServer({
        answering,
        answer,
        who,
        schemaOf: (name) => findServedTool(host, names, who, name)?.definition.inputSchema,
        logger,
      })
      return server
    },
    {
      legacy: 'reject',
      transport: channel,
      onerror: (error) => logger.debug('A message of a client was not understood.', { ...who, error }),
    },
  )

  // What was parsed from JSON, and is checked by the SDK.
  const deliver = (message: JsonObject) => channel.onmessage?.(message as unknown as Sent)

  async function listen(message: JsonObject): Promise<void> {
    // The same id again stands for the new one.
    endListening(message.id)
    const state: ListenerState = { hasEnded: false, stop: [] }
    listeners.set(message.id, state)
    const capabilities = capabilitiesIn(message)
    const watches = await watchResources(answering, who, capabilities, askedResources(message))
    watches.onUpdated = (uri) => tell(() => server?.server.sendResourceUpdated({ uri }))
    state.stop.push(() => watches.release())
    if (state.hasEnded) return watches.release()
    const unwatch = answering.watch({ ...who, capabilities }, ({ tools, prompts, resources }) => {
      if (tools) tell(() => server?.server.sendToolListChanged())
      if (prompts) tell(() => server?.server.sendPromptListChanged())
      if (resources) tell(() => server?.server.sendResourceListChanged())
    })
    state.stop.push(unwatch)
    deliver(withResources(message, watches.uris))
  }

  function endListening(id: unknown): void {
    const state = listeners.get(id)
    if (state === undefined) return
    listeners.delete(id)
    state.hasEnded = true
    for (const stop of state.stop) stop()
  }

  return {
    receive(message) {
      const { method, id, params } = message
      if (method === 'subscriptions/listen') {
        void listen(message)
        return
      }
      if (method === 'notifications/cancelled' && isJsonObject(params)) {
        endListening(params.requestId)
        open.settle(params.requestId)
      } else if (id !== undefined) open.add(id)
      deliver(message)
    },
    answered: (limitMs) => open.answered(limitMs),
    async [Symbol.asyncDispose]() {
      parked[Symbol.dispose]()
      for (const id of [...listeners.keys()]) endListening(id)
      await serving.close()
    },
  }
}

interface ListenerState {
  hasEnded: boolean
  readonly stop: (() => void)[]
}

/** A client that has gone is told nothing. */
function tell(send: () => Promise<void> | undefined): void {
  send()?.catch(() => {})
}
