import type { JsonObject } from '@rollcall/plugin'

/** Before a method's name while the SDK has it; never on the wire. */
const rawPrefix = 'rollcall/'

/**
 * The name under which the SDK is to send a request. It does not know this name, so it leaves the result as it came:
 * by its own schemas one entry that it does not like would cost a whole list, and a new kind of content a whole result.
 */
export function rawMethod(method: string): string {
  return `${rawPrefix}${method}`
}

/** The same message under the method's real name. */
export function toWireMethod(message: JsonObject): JsonObject {
  const { method } = message
  const isRaw = typeof method === 'string' && method.startsWith(rawPrefix)
  return isRaw ? { ...message, method: method.slice(rawPrefix.length) } : message
}
