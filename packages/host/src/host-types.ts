import type { EventClass, Maybe } from '@rollcall/plugin'
import type { FeatureRuntime } from './features/feature-runtime.ts'
import type { Profile } from './gate/profile.ts'
import type { Guardrails } from './guardrails/create-guardrails.ts'
import type { PluginEntry } from './host-options.ts'
import type { ToolRuntime } from './invoke/runtime.ts'
import type { Report } from './report/report.ts'
import type { Switches } from './switches/switches.ts'

/** What a dry run found, and what it would change. */
export interface Plan extends Report {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** The single tooling authority of an application. */
export interface Host extends AsyncDisposable {
  readonly tools: ToolRuntime
  /** Prompts, resources, completions, logs: what providers offer besides tools. */
  readonly features: FeatureRuntime
  readonly switches: Switches
  /** For what a model is told and says; calls pass them by themselves. */
  readonly guardrails: Pick<Guardrails, 'watches' | 'check'>
  /** All profiles, the built-in `direct` and `default` among them. */
  readonly profiles: ReadonlyMap<string, Profile>
  report(): Report
  /**
   * Does all of a refresh and reports what would change; touches no catalogue and starts no server.
   *
   * @throws {RollcallError} `HOST_CLOSED`; `CATALOGUE_NOT_READY` inside a listener of the registration event.
   */
  plan(): Promise<Plan>
  /**
   * Looks for accepted dependencies again, dispatches the registration event again and replaces the catalogue.
   *
   * @throws {RollcallError} as `plan`, and `STORE_UNAVAILABLE`; then the catalogue is the one of before.
   */
  refresh(): Promise<Report>
  /**
   * Sets a plugin up and replays the event to it alone.
   *
   * @throws {RollcallError} what kept it from loading, or as `refresh`.
   */
  add(plugin: PluginEntry): Promise<void>
  /**
   * Takes a plugin's tools away; calls in flight finish, and only then is the plugin disposed of.
   *
   * @throws {RollcallError} `PLUGIN_NOT_FOUND`, or as `refresh`.
   */
  remove(plugin: string): Promise<void>
  /** Listens to a fact. @returns the undo. */
  on<E>(event: EventClass<E>, listener: (event: E) => Maybe<void>): () => void
}
