import type { Static, TObject } from 'typebox'
import type { EventClass } from '../events/event-class.ts'
import type { Maybe } from '../json.ts'
import type { Logger } from '../logger.ts'

/** What a plugin sees of the host: never the emitter, the host or another plugin. */
export interface PluginContext<Options = unknown> {
  /** Checked against the plugin's schema before `setup` runs. */
  readonly options: Options
  readonly logger: Logger
  /** Aborted when the plugin is removed or the host closes. */
  readonly signal: AbortSignal
  /**
   * The one network fetch: every resolved address is checked, private ones are refused unless the operator allows them,
   * and redirects stay within their origin.
   *
   * @throws {RollcallError} `ADDRESS_REFUSED`; `SERVER_UNAVAILABLE` for a host that can not be reached.
   */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>
  /** Listens to an event. @returns the undo of this subscription. */
  on<E>(event: EventClass<E>, listener: (event: E) => Maybe<void>): () => void
}

/** The default export of a plugin's entry. */
export interface Plugin<S extends TObject | undefined = TObject | undefined> {
  /** The schema of the options that the configuration may give. */
  readonly options?: S
  setup(context: PluginContext<S extends TObject ? Static<S> : undefined>): Maybe<void>
  dispose?(): Maybe<void>
}
