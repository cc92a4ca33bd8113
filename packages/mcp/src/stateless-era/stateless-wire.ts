import type { Json, JsonObject, RollcallError } from '@rollcall/plugin'
import type { Wire, WireHooks } from '../transports/wire.ts'

/** How one message is sent, where each request has a stream of its own. */
export interface SendOptions {
  /** Ends the stream of this request: that is how it is cancelled. */
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  readonly onStreamEnd?: () => void
}

/** A wire of the stateless era. */
export interface StatelessWire extends Wire {
  send(message: JsonObject, options?: SendOptions): Promise<void>
}

/** Where such a wire tells what it hears. */
export interface StatelessHooks extends WireHooks {
  /** @param requestId the request in whose own stream it came, where there are such. */
  onMessage(message: JsonObject, requestId?: Json): void
  /** One request can not be answered any more. */
  onLost(id: Json, reason: RollcallError): void
}
