import { InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server'
import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../../is-json-object.ts'
import type { Answering, ListChange } from '../client-request.ts'
import type { StatelessRequest } from './answer-stateless.ts'
import { type ResourceWatches, watchResources } from './resource-watches.ts'

/** A `subscriptions/listen` request, and what it hears of. */
export interface Listening {
  /** The request with those resources only that the client may listen to. */
  readonly message: JsonObject
  readonly bus: ServerEventBus
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
    readonly capabilities: JsonObject
    readonly onEnd: () => void
  },
  message: JsonObject,
): Promise<Listening> {
  const { answering, who, capabilities, onEnd } = parts
  const bus = new InMemoryServerEventBus()
  const watches = await watchResources(answering, who, capabilities, askedResources(message))
  watches.onUpdated = (uri) => bus.publish({ kind: 'resource_updated', uri })
  return {
    message: withResources(message, watches),
    release: () => watches.release(),
    bus: {
      publish: (event) => bus.publish(event),
      subscribe(listener) {
        const unsubscribe = bus.subscribe(listener)
        const unwatch = answering.watch({ ...who, capabilities }, (change) => {
          for (const kind of kindsOf(change)) bus.publish({ kind })
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

/** The events that stand for a change of lists. */
export function kindsOf({ tools, prompts, resources }: ListChange) {
  return [
    ...(tools ? ['tools_list_changed' as const] : []),
    ...(prompts ? ['prompts_list_changed' as const] : []),
    ...(resources ? ['resources_list_changed' as const] : []),
  ]
}

/** The addresses in a `subscriptions/listen` request; what is none is for the SDK to refuse. */
export function askedResources(message: JsonObject): readonly string[] {
  const { params } = message
  const asked = isJsonObject(params) && isJsonObject(params.notifications) ? params.notifications : {}
  const { resourceSubscriptions } = asked
  return Array.isArray(resourceSubscriptions) ? resourceSubscriptions.filter((uri) => typeof uri === 'string') : []
}

/** The request as if it had asked for those resources only that are watched. */
export function withResources(message: JsonObject, { uris }: Pick<ResourceWatches, 'uris'>): JsonObject {
  const { params } = message
  if (!isJsonObject(params) || !isJsonObject(params.notifications)) return message
  const { resourceSubscriptions, ...notifications } = params.notifications
  if (!Array.isArray(resourceSubscriptions)) return message
  return {
    ...message,
    params: { ...params, notifications: { ...notifications, ...(uris.length > 0 && { resourceSubscriptions: uris }) } },
  }
}
