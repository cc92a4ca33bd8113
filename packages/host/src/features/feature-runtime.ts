import type { Json, JsonObject, RollcallErrorCode } from '@rollcall/plugin'
import type { CallOptions, Who } from '../invoke/runtime.ts'

/** A prompt that a consumer may get. */
export interface PromptView {
  /** `<appId>__<prompt>`: a look-up key, never parsed back into parts. */
  readonly name: string
  /** The server's own name of it. */
  readonly original: string
  readonly appId: string
  /** As the server lists it, apart from the name. */
  readonly definition: JsonObject
}

/** A resource that a consumer may read. */
export interface ResourceView {
  /**
   * The server's own address where no other provider that the consumer sees has the same one, else `<appId>+<uri>`.
   * Both forms are understood: the plain one as long as it means one provider.
   */
  readonly uri: string
  readonly original: string
  readonly appId: string
  readonly definition: JsonObject
}

/** A kind of resources that a consumer may read; `uriTemplate` as `ResourceView.uri`. */
export interface TemplateView {
  readonly uriTemplate: string
  readonly original: string
  readonly appId: string
  readonly definition: JsonObject
}

/** What a consumer sees besides tools, in the order of the catalogue. */
export interface FeatureList {
  readonly prompts: readonly PromptView[]
  readonly templates: readonly TemplateView[]
  /** Those that are known without asking anybody. */
  readonly resources: readonly ResourceView[]
  /** What accepted servers tell their clients about themselves. */
  readonly instructions: readonly { readonly appId: string; readonly text: string }[]
}

/** How a request ended. The record of it has the same status. */
export type FeatureOutcome = { readonly callId: string; readonly durationMs: number } & (
  | {
      readonly status: 'ok'
      readonly appId: string
      readonly result: JsonObject
      readonly suspicious?: readonly string[]
    }
  | {
      readonly status: 'failed'
      readonly code: RollcallErrorCode
      readonly text: string
      readonly hint: string
      /** The server's own error, where it gave one. */
      readonly error?: { readonly code: number; readonly message: string; readonly data?: Json }
    }
  | { readonly status: 'denied'; readonly code: RollcallErrorCode; readonly text: string; readonly hint: string }
  | { readonly status: 'cancelled' }
)

/** The only way to a server's prompts, resources, completions and log: find, gate, record, request, bound, record. */
export interface FeatureRuntime {
  /**
   * @throws {RollcallError} `CATALOGUE_NOT_READY` inside a listener of the registration event, `CONFIG_INVALID` for an
   * unknown profile.
   */
  list(who: Who): FeatureList
  /** With those of servers that list them for each caller; one that fails costs its own only. @throws as `list`. */
  resources(options: CallOptions): Promise<readonly ResourceView[]>
  /** @param name public name. Never rejects. */
  getPrompt(name: string, args: JsonObject, options: CallOptions): Promise<FeatureOutcome>
  /** @param uri in either form. Addresses in the result have the form that was asked for. Never rejects. */
  readResource(uri: string, options: CallOptions): Promise<FeatureOutcome>
  /** Asks for updates of a resource: `options.caller.notify` gets them until `options.client.ended`. Never rejects. */
  subscribe(uri: string, options: CallOptions): Promise<FeatureOutcome>
  unsubscribe(uri: string, options: CallOptions): Promise<FeatureOutcome>
  /** @param params those of `completion/complete`, with our names and addresses in `ref`. Never rejects. */
  complete(params: JsonObject, options: CallOptions): Promise<FeatureOutcome>
  /** Asks every server that the caller sees for log messages of this level and above. Never rejects. */
  setLogLevel(level: string, options: CallOptions): Promise<void>
}
