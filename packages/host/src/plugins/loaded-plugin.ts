import type { Finding, Json, LegacyPlugin, Plugin } from '@rollcall/plugin'

/** A plugin whose manifest and entry were read; its `setup` has not run. */
export interface LoadedPlugin {
  /** Package name; for a plugin given in code its first appId. Unique in a host. */
  readonly name: string
  readonly version: string
  /** Lower case; the first is the default of its announcements. */
  readonly appIds: readonly string[]
  /** Position by configuration; smaller wins. */
  readonly order: number
  /** Absolute real path of the package; absent for a plugin given in code. */
  readonly folder?: string
  /** For a person: `./plugins/weather`, `@acme/weather`, `code`. */
  readonly from: string
  /** The manifest's `toolProvider`, absolute real path inside the package. Legacy. */
  readonly toolProvider?: string
  readonly module:
    | { readonly kind: 'plugin'; readonly plugin: Plugin }
    | { readonly kind: 'legacy'; readonly plugin: LegacyPlugin }
  /** Checked against the plugin's schema. */
  readonly options: Json | undefined
  readonly onFailure: 'report' | 'abort'
}

/** A plugin that did not get as far as answering the event. */
export interface PluginFailure {
  readonly name: string
  readonly version: string
  readonly appIds: readonly string[]
  readonly order: number
  readonly from: string
  readonly state: 'failed' | 'rejected' | 'held'
  readonly finding: Finding
  readonly durationMs: number
  readonly onFailure: 'report' | 'abort'
}
