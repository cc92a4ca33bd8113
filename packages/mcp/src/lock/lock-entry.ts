import type { Digest, JsonObject } from '@rollcall/plugin'

/** One pinned tool. */
export interface LockedTool {
  readonly name: string
  /** The whole tool as its server listed it. */
  readonly definition: JsonObject
  /** Written for readers of the file; recomputed on load and never trusted. */
  readonly digest: Digest
  /** Client capabilities without which the server does not list it. */
  readonly needs: readonly string[]
}

/** What the lock file holds about one server. No reviewer's state: who accepted what stands in the store. */
export interface LockEntry {
  readonly launch: Digest
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly protocolVersion: string
  /** The sets of client capabilities under which the server was listed. */
  readonly capabilityClasses: readonly string[]
  readonly instructions?: string
  /** By name. */
  readonly tools: readonly LockedTool[]
}

/** The lock file as it was read. */
export type Lock = ReadonlyMap<string, LockEntry>
