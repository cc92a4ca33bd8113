import type { SecretRef } from '@rollcall/plugin'

/** What is done with the audit besides keeping it. */
export interface AuditOptions {
  /** Days after which calls that are over are removed. Absent: they stay. */
  readonly keepDays?: number
  /** Whether arguments and the text of outcomes are kept for the audit, without known secrets or as they are. Default: none. */
  readonly content?: 'none' | 'redacted' | 'full'
  /** Where each call is sent when it is over. */
  readonly sinks?: readonly SinkOptions[]
}

/** Where records of calls go: one of the three ways. */
export type SinkOptions = {
  /** Loopback and private addresses. */
  readonly allowPrivateNetwork?: boolean
} & (
  | {
      /** Gets JSON lines by POST, signed where there is a secret. */
      readonly webhook: string
      readonly secret?: SecretRef
    }
  | {
      /** `udp://host:514`, `tcp://host:601` or `tls://host:6514`: RFC 5424. */
      readonly syslog: string
    }
  | {
      /** The address of a collector: OTLP over HTTP, as JSON. */
      readonly otlp: string
      readonly headers?: Readonly<Record<string, string | SecretRef>>
    }
)
