import { type EventClass, type Logger, type Maybe, silentLogger } from '@rollcall/plugin'
import mitt from 'mitt'

/** Whose listener it is. */
export interface ListenerOwner {
  readonly plugin: string
  /** Position by configuration. */
  readonly order: number
}

/** One listener of one event. */
export interface Subscription<E> extends ListenerOwner {
  readonly listener: (event: E) => Maybe<void>
}

/** Who listens to what. The emitter itself is never handed out: nobody can empty a list or emit past the guards. */
export interface Bus {
  /** Where faults of listeners to facts are told. */
  readonly logger: Logger
  /** Adds a listener. @returns the undo; calling it again does nothing. */
  on<E>(owner: ListenerOwner, event: EventClass<E>, listener: (event: E) => Maybe<void>): () => void
  /** The listeners of an event by configuration order, those of one plugin in the order in which they were added. */
  listeners<E>(event: EventClass<E>): readonly Subscription<E>[]
}

/**
 * Makes the bus of a host.
 *
 * Emitting asks every handler to name its subscription, and nothing else: the emitter stops at the first throw and
 * awaits nobody, so foreign code runs under the guards of `collect` and `notify`, never inside an emit.
 */
export function createBus(logger: Logger = silentLogger): Bus {
  const emitter = mitt<Record<string, Visit>>()

  return {
    logger,

    on<E>({ plugin, order }: ListenerOwner, event: EventClass<E>, listener: (event: E) => Maybe<void>) {
      const subscription: Subscription<E> = { plugin, order, listener }
      const answer = (visit: Visit) => visit(subscription)
      emitter.on(event.type, answer)
      return () => emitter.off(event.type, answer)
    },

    listeners<E>(event: EventClass<E>) {
      const found: Subscription<E>[] = []
      emitter.emit(event.type, (subscription) => {
        // Only `on` adds to this list, and an event's `type` stands for one class.
        found.push(subscription as Subscription<E>)
      })
      return found.sort((one, other) => one.order - other.order)
    },
  }
}

type Visit = (subscription: Subscription<never>) => void
