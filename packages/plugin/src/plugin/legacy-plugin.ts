import type { Maybe } from '../json.ts'

/** The container in which an unmigrated plugin registers its provider under `ToolProvider::<appId>`. */
export interface LegacyServices {
  /** A function is a factory: it runs once, at the first `get`. */
  register(alias: string, value: unknown): void
  has(alias: string): boolean
  get(alias: string): unknown
}

/** The default export of an unmigrated plugin. */
export interface LegacyPlugin {
  register(services: LegacyServices): Maybe<void>
}
