import type { DataClass, TrustZone } from '@rollcall/plugin'

/** The rules that a consumer runs under. */
export interface Profile {
  readonly name: string
  /** Where the consumer's model runs. */
  readonly zone: TrustZone
  /** The operator's explicit raise of what this profile may receive. */
  readonly ceiling?: DataClass
  /** Patterns on tool names and `group:<name>`; `!` excludes. Absent: all. `[]`: none. */
  readonly allow?: readonly string[]
  /** Whether servers may use the model of this profile's consumer; default false. */
  readonly sampling?: boolean
  /** Whether servers may ask the person behind this profile's consumer; default true. */
  readonly elicitation?: boolean
  /** Whether servers may learn the folders of this profile's consumer; default true. */
  readonly roots?: boolean
  /** Served to MCP clients under `/mcp/<name>`. */
  readonly serve?: boolean
  readonly approvals?: {
    /** Milliseconds an MCP call waits for a person; default 45,000. */
    readonly waitMs?: number
    /** Milliseconds after which a pending call is denied; default 24 h. */
    readonly expiresMs?: number
  }
}
