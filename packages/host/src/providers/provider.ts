import type {
  Digest,
  Finding,
  Json,
  JsonObject,
  JsonSchema,
  Logger,
  Maybe,
  OperatorWords,
  ServerDeclaration,
  ToolContext,
  ToolResult,
  ToolTraits,
} from '@rollcall/plugin'
import type { Hold } from '../catalogue/hold.ts'
import type { Claim } from '../discovery/claim.ts'
import type { Settings } from '../store/store.ts'

/** A tool as its provider lists it; not checked, not named yet. */
export interface ListedTool {
  /** The provider's own name of the tool. */
  readonly name: string
  /** Served to MCP clients as it is, apart from tightened annotations. */
  readonly definition: {
    readonly description?: string
    readonly title?: string
    readonly inputSchema: JsonSchema
    readonly outputSchema?: JsonSchema
    readonly annotations?: JsonObject
    readonly icons?: Json
    readonly _meta?: JsonObject
  }
  /** What the author says; absent for external tools, whose hints only suggest. */
  readonly traits?: Partial<ToolTraits>
  /** Milliseconds; default 60,000. */
  readonly timeoutMs?: number
  readonly startsOff?: boolean
  readonly holds?: readonly Hold[]
  /** A person saw and accepted this very definition, suspicious text included. Said by the connector, never by a server. */
  readonly accepted?: boolean
  /** Schema of the values that only a person may supply. */
  readonly asksPerson?: JsonSchema
  preview?(args: Json): Maybe<readonly string[]>
  /** The author's `when(args)`; a throw counts as yes. */
  needsApproval?(args: Json): boolean
}

/** What an opened provider offers at this moment. */
export interface Listing {
  readonly tools: readonly unknown[]
  /** How the provider's server is launched, part of each tool's digest. Absent: functions of this process. */
  readonly launch?: Digest
  /** Why nothing of this provider may be used yet: never listed, launch changed, secret missing. */
  readonly holds: readonly Hold[]
  /** Notices of the provider's own; `about.appId` set. */
  readonly findings: readonly Finding[]
  /** For a person, beside the provider: `mcp, stdio, not started`. Empty for builtin ones. */
  readonly detail: string
}

/** An opened provider. Builtin and legacy: host. MCP: `@rollcall/mcp`. The only thing a call path knows about origin. */
export interface OpenProvider extends AsyncDisposable {
  /**
   * Never starts a server. A throw or a time-out costs this provider's tools only.
   * The elements of `tools` are checked by the catalogue: a provider may list anything.
   */
  list(signal: AbortSignal): Promise<Listing>
  /**
   * Executes one tool. Throws a `RollcallError` of code `SERVER_UNAVAILABLE`, `SERVER_TIMEOUT`, `DEFINITION_CHANGED`,
   * `LAUNCH_CHANGED`, `LAUNCH_REFUSED`, `SECRET_MISSING`, `VARIABLE_MISSING` or `BUSY` only when nothing was sent, and
   * `TOOL_OUTCOME_UNKNOWN` when it was sent and its end is not known.
   */
  call(tool: string, args: Json, context: ProviderCall): Promise<ToolResult>
  /** The list or a hold changed; the host re-enters at the front. @returns the undo. */
  onChanged?(listener: () => void): () => void
}

/** One call on its way to a provider. */
export interface ProviderCall extends ToolContext {
  /** Digest of the definition that was gated. */
  readonly definition: Digest
  readonly timeoutMs: number
  readonly caller?: CallerPort
  readonly client?: { readonly session: string; readonly name: string }
}

/** Where the caller can answer a server's request. */
export interface CallerPort {
  elicit?(request: JsonObject, signal: AbortSignal): Promise<Json>
  sample?(request: JsonObject, signal: AbortSignal): Promise<Json>
  roots?(signal: AbortSignal): Promise<readonly string[]>
}

/** A declared server, and what the operator says about it. */
export interface McpClaim extends Pick<Claim, 'appId' | 'plugin' | 'version' | 'source'> {
  readonly server: ServerDeclaration
  readonly words: OperatorWords
  /** `first-use`: pinned when first listed. `manual`: held `new` until a person syncs it. */
  readonly pin: 'first-use' | 'manual'
}

/**
 * The port through which the host opens MCP providers; `createMcp().connect` implements it.
 * Returns at once: it registers the server and starts nothing.
 */
export type ConnectMcp = (
  claim: McpClaim,
  context: { readonly settings: Settings; readonly logger: Logger; readonly signal: AbortSignal },
) => Promise<OpenProvider>
