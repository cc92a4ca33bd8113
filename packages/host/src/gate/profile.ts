import type { DataClassName, SecretRef, TrustZoneName } from '@rollcall/plugin'

/** The rules that a consumer runs under. */
export interface Profile {
  readonly name: string
  /** Where the consumer's model runs. */
  readonly zone: TrustZoneName
  /** The operator's explicit raise of what this profile may receive. */
  readonly ceiling?: DataClassName
  /** `observe` records what its zone is against and lets it through, external tools excepted; default: the host's. */
  readonly zoneMode?: 'enforce' | 'observe'
  /** Whether whoever asked for a call may not be the one who approves it. */
  readonly fourEyes?: boolean
  /** Patterns on tool names and `group:<name>`; `!` excludes. Absent: all. `[]`: none. */
  readonly allow?: readonly string[]
  /** Whether servers may use the model of this profile's consumer; default false. */
  readonly sampling?: boolean
  /** Whether servers may ask the person behind this profile's consumer; default true. */
  readonly elicitation?: boolean
  /** Whether servers may learn the folders of this profile's consumer; default true. */
  readonly roots?: boolean
  /** Bytes of text that a model behind this profile gets of one result at once; default 50,000. */
  readonly resultBytes?: number
  /** Served to MCP clients under `/mcp/<name>`. */
  readonly serve?: boolean
  readonly approvals?: Approvals
}

/** Where a decision comes from. `library`: the code of the host application, which no profile shuts out. */
export type ApprovalChannel = 'console' | 'cli' | 'elicitation' | 'library'

/** How the calls of a profile come before a person. */
export interface Approvals {
  /** Milliseconds an MCP call waits for a person; default 45,000. */
  readonly waitMs?: number
  /** Milliseconds after which a pending call is denied; default 24 h. */
  readonly expiresMs?: number
  /** Where a yes may come from; a no may come from anywhere. Default: console and cli. */
  readonly channels?: readonly Exclude<ApprovalChannel, 'library'>[]
  /** MCP clients, by the name they give, that may put a call before their person (channel `elicitation`). */
  readonly clients?: readonly string[]
  /** Who may say yes: persons, or ids of principals. Absent: whoever may approve at all. */
  readonly by?: readonly string[]
  /** Milliseconds after which `by` does not bind any more, and the webhook is told again. */
  readonly escalateAfterMs?: number
  /** Who is told of each call that waits. */
  readonly notify?: {
    /** Gets the card by POST, signed where there is a secret. */
    readonly webhook: string
    readonly secret?: SecretRef
    readonly allowPrivateNetwork?: boolean
  }
}
