import type { Json, JsonObject, Maybe, ToolProvider } from '@rollcall/plugin'

/** How a claim was found. `host`: the host's own tools. */
export type Source = 'announced' | 'legacy' | 'configured' | 'host'

/** A provider that lays claim to an appId, stamped by the host. Not opened yet. */
export interface Claim {
  readonly appId: string
  /** Package name of its owner; `rollcall` for the host, `configuration` for configured servers. */
  readonly plugin: string
  readonly version: string
  readonly source: Source
  /** Position by configuration; smaller wins. */
  readonly order: number
  readonly provider: ToolProvider | LegacyProvider
  /** Where it comes from, for a person: a folder, a package, a key of the configuration. */
  readonly from: string
  /** The folder of a plugin's code, where faults are looked for; absent for what has none. */
  readonly folder?: string
}

/** What an unmigrated plugin puts under its container alias. */
export interface LegacyProvider {
  readonly kind: 'legacy'
  getAppId(): string
  getTools(): Maybe<readonly JsonObject[]>
  invokeTool(id: string, args: Json): unknown
  previewTool?(id: string, args: Json): Maybe<readonly string[]>
}
