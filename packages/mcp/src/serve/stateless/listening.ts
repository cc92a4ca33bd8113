import { CLIENT_CAPABILITIES_META_KEY, InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server'
import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import type { Answering } from '../client-request.ts'
import type { StatelessRequest } from './answer-stateless.ts'
import { watchResources } from './resource-watches.ts'

/** A `subscriptions/listen` request, and what it hears of. */
export interface Listening {
  /** The request with those resources only that the client may listen to. */
  readonly message: JsonObject
  readonly bus: ServerEventBus
  /** Whether the SDK has opened the stream. */
  isOpen(): boolean
  /** Ends what was begun for it. */
  release(): void
}

/**
 * Prepares one `subscriptions/listen` request: lists are watched from the moment at which the SDK subscribes to the bus.
 *
 * @param onEnd called when the stream has ended
 */
export async function prepareListening(
  parts: {
    readonly answering: Answering
    readonly who: StatelessRequest['who']
    readonly onEnd: () => void
  },
  message: JsonObject,
): Promise<Listening> {
  const { answering, who, onEnd } = parts
  const capabilities = capabilitiesIn(message)
  const bus = new InMemoryServerEventBus()
  let isOpen = false
  const watches = await watchResources(answering, who, capabilities, askedResources(message))
  watches.onUpdated = (uri) => bus.publish({ kind: 'resource_updated', uri })
  return {
    message: withResources(message, watches.uris),
    isOpen: () => isOpen,
    release: () => watches.release(),
    bus: {
      publish: (event) => bus.publish(event),
      subscribe(listener) {
        isOpen = true
        const unsubscribe = bus.subscribe(listener)
        const unwatch = answering.watch({ ...who, capabilities }, (change) => {
          if (change.tools) bus.publish({ kind: 'tools_list_changed' })
          if (change.prompts) bus.publish({ kind: 'prompts_list_changed' })
          if (change.resources) bus.publish({ kind: 'resources_list_changed' })
        })
        return () => {
          unsubscribe()
          unwatch()
          watches.release()
          onEnd()
        }
      },
    },
  }
}

/** The addresses in a `subscriptions/listen` request; what is none is for the SDK to refuse. */
export function askedResources(message: JsonObject): readonly string[] {
  const { params } = message
  const asked = isJsonObject(params) && isJsonObject(params.notifications) ? params.notifications : {}
  const { resourceSubscriptions } = asked
  return Array.isArray(resourceSubscriptions) ? resourceSubscriptions.filter((uri) => typeof uri === 'string') : []
}

/** The request as if it had asked for those resources only that are watched. */
export function withResources(message: JsonObject, uris: readonly string[]): JsonObject {
  const { params } = message
  if (!isJsonObject(params) || !isJsonObject(params.notifications)) return message
  const { resourceSubscriptions, ...notifications } = params.notifications
  if (!Array.isArray(resourceSubscriptions)) return message
  return {
    ...message,
    params: { ...params, notifications: { ...notifications, ...(uris.length > 0 && { resourceSubscriptions: uris }) } },
  }
}

/** What a request declares that its client can do. */
export function capabilitiesIn({ params }: JsonObject): JsonObject {
  const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {}
  const declared = meta[CLIENT_CAPABILITIES_META_KEY]
  return isJsonObject(declared) ? declared : {}
}
