import type {
  Digest,
  Effect,
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
import type { OutboundFetch } from '../outbound/outbound-fetch.ts'
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
  /** Client capabilities without which the server does not list it. */
  readonly needs?: readonly Capability[]
  /**
   * How the running server describes it otherwise, in lines for a person; old arguments are still valid. The definition
   * is the accepted one; a call that writes asks a person, who sees these lines.
   */
  readonly drift?: readonly string[]
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
  /** What the provider offers besides tools. Absent: nothing. */
  readonly features?: ProviderFeatures
}

/** What a server may ask of a client, as far as tools depend on it. */
export type Capability = 'sampling' | 'elicitation' | 'elicitation.url' | 'roots'

/** What a provider offers besides tools: as the server lists it, not checked yet. */
export interface ProviderFeatures {
  /** Each with its server's `name`. */
  readonly prompts: readonly JsonObject[]
  /** Each with `uri`. Empty where each caller has a state of its own: then `request` lists them. */
  readonly resources: readonly JsonObject[]
  /** Each with `uriTemplate`. */
  readonly templates: readonly JsonObject[]
  readonly instructions?: string
  /** A person saw and accepted these very prompts, templates and instructions. Said by the connector only. */
  readonly accepted?: boolean
  readonly can: {
    readonly complete: boolean
    readonly subscribe: boolean
    readonly log: boolean
    /** Resources are listed live, for each caller. */
    readonly listLive: boolean
  }
}

/** A request that is no tool call, by the server's own names. */
export type FeatureRequest =
  | { readonly method: 'prompts/get'; readonly params: JsonObject }
  | { readonly method: 'resources/list'; readonly params: JsonObject }
  | { readonly method: 'resources/read'; readonly params: JsonObject }
  | { readonly method: 'resources/subscribe'; readonly params: JsonObject }
  | { readonly method: 'resources/unsubscribe'; readonly params: JsonObject }
  | { readonly method: 'completion/complete'; readonly params: JsonObject }
  | { readonly method: 'logging/setLevel'; readonly params: JsonObject }

/** The server's answer, passed on as it is: its result, or its error. */
export type FeatureAnswer =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: { readonly code: number; readonly message: string; readonly data?: Json } }

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
  /**
   * Sends a request that is no tool call. Throws as `call` does. A caller that sets a log level or subscribes hears of it
   * through `caller.notify` until `client.ended` aborts.
   */
  request?(request: FeatureRequest, context: ProviderCall): Promise<FeatureAnswer>
  /** The list or a hold changed; the host re-enters at the front. @returns the undo. */
  onChanged?(listener: () => void): () => void
}

/** One call on its way to a provider. */
export interface ProviderCall extends ToolContext {
  /** Digest of the definition that was gated. */
  readonly definition: Digest
  readonly timeoutMs: number
  /** What was gated: only reads and idempotent writes may be repeated. */
  readonly effect: Effect
  readonly caller?: CallerPort
  readonly client?: CallingClient
  /** Fields of the caller's own `_meta` for the server; reserved ones are taken out already. */
  readonly meta?: JsonObject
}

/** The client session from which a call comes. */
export interface CallingClient {
  readonly session: string
  readonly name: string
  /** Aborted when the session is over. */
  readonly ended?: AbortSignal
}

/** Where the caller can answer a server's request. Params and results are those of the protocol. */
export interface CallerPort {
  /** What the caller can do, as MCP client capabilities: `{ sampling, elicitation: { form, url }, roots }`. */
  readonly capabilities: JsonObject
  /** The client's own name, where it has no session that would say so. */
  readonly name?: string
  /** Aborted when nobody is there any more, where the caller has no session that would say so. */
  readonly ended?: AbortSignal
  /** `elicitation/create`. */
  elicit?(params: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** `sampling/createMessage`. */
  sample?(params: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** `roots/list`. */
  roots?(signal: AbortSignal): Promise<JsonObject>
  /** A notification that belongs to this caller's session: a log message, an updated resource. */
  notify?(method: string, params: JsonObject): void
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
  context: {
    readonly settings: Settings
    readonly logger: Logger
    readonly signal: AbortSignal
    /** The one network fetch. */
    readonly fetch: OutboundFetch
  },
) => Promise<OpenProvider>
