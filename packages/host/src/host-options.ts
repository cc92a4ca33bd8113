import type { KeyObject } from 'node:crypto'
import type { Json, Logger, OperatorWords, Plugin, SecretRef, ServerDeclaration } from '@rollcall/plugin'
import type { AuditOptions } from './audit/audit-options.ts'
import type { PolicyOptions } from './gate/policy.ts'
import type { Profile } from './gate/profile.ts'
import type { GuardrailWords } from './guardrails/choose-guardrails.ts'
import type { OutboundRoute } from './outbound/create-agents.ts'
import type { Clock } from './ports/clock.ts'
import type { ConnectMcp } from './providers/provider.ts'
import type { Store } from './store/store.ts'

/** A plugin of the configuration: a package name or folder, with options, or an object given in code. */
export type PluginEntry =
  | string
  | readonly [specifier: string, options: Json]
  | {
      readonly specifier: string
      readonly options?: Json
      readonly onFailure?: 'report' | 'abort'
    }
  | {
      readonly appId: string | readonly string[]
      readonly plugin: Plugin
      readonly options?: Json
      readonly onFailure?: 'report' | 'abort'
    }

/** One entry of `providers`: declares a server, or carries the operator's words about whoever holds that appId. */
export type ProviderEntry = OperatorWords & {
  readonly server?: ServerDeclaration
  readonly pin?: 'first-use' | 'manual'
}

export interface LegacyScanOptions {
  readonly mode: 'on' | 'warn' | 'error' | 'off'
  /** Seconds, clamped to 10…600; anything that is no number gives 60. */
  readonly cacheTtlSeconds?: number
}

/** The container of a host application, for unmigrated plugins. */
export interface HostServices {
  has(alias: string): boolean
  get(alias: string): unknown
}

export interface HostOptions extends PolicyOptions {
  readonly plugins?: readonly PluginEntry[]
  /** `dependencies`: also the direct dependencies of the host's package.json that carry the keyword. */
  readonly pluginsFrom?: 'dependencies'
  readonly providers?: Readonly<Record<string, ProviderEntry>>
  readonly profiles?: readonly Profile[]
  /** Which guardrails run; secrets are redacted and injected instructions flagged in any case. */
  readonly guardrails?: GuardrailWords
  readonly connectMcp?: ConnectMcp
  /** Through what the network is reached; proxies of the environment do not count. */
  readonly outbound?: OutboundRoute
  /** The folder from which plugins are resolved; default: the working folder. */
  readonly cwd?: string
  readonly services?: HostServices
  readonly legacyScan?: LegacyScanOptions['mode'] | LegacyScanOptions
  /** Milliseconds a setup or a listener may take; default 5,000. All of them together: three times that. */
  readonly pluginTimeoutMs?: number
  /** Default: a store in memory. */
  readonly store?: Store
  /** An Ed25519 private key that vouches for the events of the store. Default: nothing does. */
  readonly auditKey?: KeyObject
  /** How long the audit is kept, what of, and where it is sent. Removing anything takes an `auditKey`. */
  readonly audit?: AuditOptions
  /** Reads the secrets that options name, such as the one that signs a webhook. Default: none can be read. */
  readonly resolveSecret?: (ref: SecretRef) => Promise<string>
  readonly logger?: Logger
  readonly clock?: Clock
  /** Variables that plugin options and announcements may read, besides the two built-in folders. */
  readonly variables?: Readonly<Record<string, string>>
}
