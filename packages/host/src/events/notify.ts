import type { EventClass, Maybe } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'
import type { Bus, Subscription } from './create-bus.ts'

/**
 * Tells a fact to everyone who listens. The fact is frozen; a listener that throws or rejects costs nobody anything, and
 * is told to the log at its first fault only. Never throws, awaits nobody.
 */
export function notify(bus: Bus, fact: object): void {
  for (const value of Object.values(fact)) if (Array.isArray(value)) Object.freeze(value)
  Object.freeze(fact)
  const event = eventOf(fact)
  for (const subscription of bus.listeners(event)) {
    const complain = (error: unknown) => logOnce(bus, event.type, subscription, error)
    // The executor catches a synchronous throw, and a rejection has a handler before it can go unhandled.
    new Promise<void>((done) => done(subscription.listener(fact) as Maybe<void>)).catch(complain)
  }
}

/** Facts are instances of their event class, made by the host. */
function eventOf(fact: object): EventClass<object> {
  return fact.constructor as unknown as EventClass<object>
}

const complainedAbout = new WeakSet<object>()

function logOnce({ logger }: Bus, event: string, subscription: Subscription<object>, error: unknown): void {
  if (complainedAbout.has(subscription)) return
  complainedAbout.add(subscription)
  const { message, causes } = describeThrown(error)
  logger.warn('a listener to a fact failed', { plugin: subscription.plugin, event, message, causes })
}
