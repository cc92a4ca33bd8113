import type { Capability } from '@rollcall/host'
import type { Digest, JsonObject } from '@rollcall/plugin'

/** One pinned tool. */
export interface LockedTool {
  readonly name: string
  /** The whole tool as its server listed it. */
  readonly definition: JsonObject
  /** Written for readers of the file; recomputed on load and never trusted. */
  readonly digest: Digest
  /** Client capabilities without which the server does not list it. */
  readonly needs: readonly Capability[]
}

/** What the lock file holds about one server. No reviewer's state: who accepted what stands in the store. */
export interface LockEntry {
  readonly launch: Digest
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly protocolVersion: string
  /** The verdict of the probe: which revisions it speaks, and on which day that was found (`2026-07-28`). */
  readonly protocol: { readonly era: 'session' | 'stateless'; readonly on: string }
  /** What the server said that it can do, when it was listed. */
  readonly capabilities: JsonObject
  /** As the server lists them; data for its clients, not compared for drift except prompts. */
  readonly prompts: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  /** Empty for a server with an isolation: each of its callers has resources of its own. At most 200. */
  readonly resources: readonly JsonObject[]
  /** The sets of client capabilities under which the server was listed. */
  readonly capabilityClasses: readonly string[]
  readonly instructions?: string
  /** By name. */
  readonly tools: readonly LockedTool[]
}

/** The verdict of a file that was written before there was one; it is not written. */
export const noVerdict: LockEntry['protocol'] = { era: 'session', on: '' }

/** The lock file as it was read. */
export type Lock = ReadonlyMap<string, LockEntry>
