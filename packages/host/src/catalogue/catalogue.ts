import type {
  Digest,
  Finding,
  Json,
  JsonObject,
  Phase,
  RollcallErrorCode,
  ToolResult,
  ToolTraits,
} from '@rollcall/plugin'
import type { Source } from '../discovery/claim.ts'
import type {
  Capability,
  FeatureAnswer,
  FeatureRequest,
  ListedTool,
  ProviderCall,
  ProviderFeatures,
} from '../providers/provider.ts'
import type { Hold } from './hold.ts'
import type { PersonForm } from './person-form.ts'

/** What consumers see of a tool. */
export interface ToolView {
  /** `<appId>__<tool>`: the one public name. A look-up key, never parsed back into parts. */
  readonly name: string
  /** The provider's own name. */
  readonly original: string
  readonly appId: string
  readonly plugin: string
  readonly source: Source
  readonly kind: 'builtin' | 'mcp'
  readonly generation: number
  readonly digest: Digest
  readonly definition: ListedTool['definition']
  readonly traits: ToolTraits
  readonly holds: readonly Hold[]
  /** What the caller's client must be able to do. */
  readonly needs: readonly Capability[]
  /** The arguments that a person is asked for before each call; a model says nothing about them. */
  readonly asks?: readonly string[]
  /** Its server describes it otherwise than a person has accepted it; what was accepted is what is shown. */
  readonly drifting?: true
}

/** Host-internal: the view plus the way to run it. Never leaves the host, so nobody can call past the gate. */
export interface CatalogueEntry extends ToolView {
  readonly timeoutMs: number
  /** What a person is asked for before each call. */
  readonly form?: PersonForm
  /** Checks parsed JSON against the original input schema. */
  parse(args: Json): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string }
  needsApproval(args: Json): boolean
  /** At most 20 lines of 500 characters; a failing preview gives one line that says so. Never rejects. */
  preview(args: Json): Promise<readonly string[]>
  invoke(args: Json, call: ProviderCall): Promise<ToolResult>
}

/** What one provider offers besides tools, checked; under the words about the provider, as reads. */
export interface FeatureEntry extends Pick<ToolView, 'appId' | 'plugin' | 'kind' | 'digest' | 'traits' | 'holds'> {
  /** By public name. */
  readonly prompts: ReadonlyMap<string, { readonly original: string; readonly definition: JsonObject }>
  /** By the server's own address. */
  readonly resources: ReadonlyMap<string, JsonObject>
  /** By the server's own address. */
  readonly templates: ReadonlyMap<string, JsonObject>
  readonly instructions?: string
  readonly can: ProviderFeatures['can']
  request(request: FeatureRequest, call: ProviderCall): Promise<FeatureAnswer>
}

/** One generation: validated, immutable, replaced whole. */
export interface Catalogue {
  readonly generation: number
  readonly entries: ReadonlyMap<string, CatalogueEntry>
  /** By appId, in the order of the roll; only providers that offer something besides tools. */
  readonly features: ReadonlyMap<string, FeatureEntry>
  readonly providers: readonly ProviderReport[]
  readonly findings: readonly Finding[]
}

/** What became of one claim, or of one plugin that laid none. */
export interface ProviderReport {
  /** The plugin's first appId, or its name, where it laid no claim. */
  readonly appId: string
  readonly plugin: string
  readonly version: string
  readonly kind: 'builtin' | 'mcp'
  readonly source: Source
  readonly state: 'active' | 'degraded' | 'held' | 'skipped' | 'rejected' | 'failed'
  readonly phase?: Phase
  readonly code?: RollcallErrorCode
  readonly message?: string
  readonly hint?: string
  readonly causes: readonly string[]
  readonly tools: number
  readonly durationMs: number
  /** For a person: folder or package, transport, whether it runs. */
  readonly from: string
}
