import type { Digest, Finding, JsonObject } from '@rollcall/plugin'

/** One tool as a running server lists it. */
export interface LiveTool {
  readonly name: string
  /** The whole tool, unchanged. */
  readonly definition: JsonObject
  readonly digest: Digest
}

/** All that a running server lists at one moment. */
export interface LiveList {
  readonly tools: ReadonlyMap<string, LiveTool>
  /** Each with a `name`. */
  readonly prompts: readonly JsonObject[]
  /** Each with a `uriTemplate`. */
  readonly templates: readonly JsonObject[]
  /** Each with a `uri`. */
  readonly resources: readonly JsonObject[]
  /** What it tells its clients about itself. */
  readonly instructions?: string
  readonly findings: readonly Finding[]
}
