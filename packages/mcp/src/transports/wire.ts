import type { JsonObject, RollcallError } from '@rollcall/plugin'
import type { PeerVitals } from '../peer/mcp-peer.ts'

/** What carries JSON-RPC messages to one server and back. */
export interface Wire {
  /** @throws {RollcallError} `SERVER_UNAVAILABLE` when the server can not be started or reached. */
  start(): Promise<void>
  send(message: JsonObject): Promise<void>
  /** Ends the connection; for a process: resolves when its whole tree is gone. Idempotent, never rejects. */
  close(): Promise<void>
  setProtocolVersion?(version: string): void
  vitals(): PeerVitals
}

/** Where a wire tells what it hears. */
export interface WireHooks {
  onMessage(message: JsonObject): void
  /** Called once, when no more messages can come. */
  onClosed(reason: RollcallError): void
}
