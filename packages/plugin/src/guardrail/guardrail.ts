import type { Maybe } from '../json.ts'
import type { Principal } from '../principal.ts'

/** Where a guardrail is asked: what a model is told and says, what a tool is called with and answers. */
export const guardrailStages = ['input', 'output', 'toolArguments', 'toolResult'] as const
export type GuardrailStage = (typeof guardrailStages)[number]

/** A part of the text, in UTF-16 units; `end` is not included. */
export interface TextRange {
  readonly start: number
  readonly end: number
  /** Shown as `[redacted:<label>]`: small letters, digits, dashes. Default: the guardrail's id. */
  readonly label?: string
}

/** What a guardrail says about a text. It names ranges; the text itself is never its own. */
export type GuardrailVerdict =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'redact'; readonly ranges: readonly TextRange[] }
  /** The model should try once more; the hint is for it. */
  | { readonly verdict: 'retry'; readonly hint: string }
  /** A person should look at it first. */
  | { readonly verdict: 'ask'; readonly reason: string }
  | { readonly verdict: 'deny'; readonly reason: string }

/** What a guardrail knows about the text that it is asked about. */
export interface GuardrailContext {
  readonly stage: GuardrailStage
  /** The public name of the tool or prompt, or the address of the resource. */
  readonly subject?: string
  readonly appId?: string
  readonly principal: Principal
  readonly profile: string
  readonly callId?: string
  /** Why the model stopped, in its vendor's words. */
  readonly finishReason?: string
  /** Aborted when its time is over: two seconds. */
  readonly signal: AbortSignal
}

/** Looks at a text on its way. Arguments come as canonical JSON; the texts of one result come together, a line apart. */
export type GuardrailCheck = (text: string, context: GuardrailContext) => Maybe<GuardrailVerdict>

/** What a plugin announces; it runs only if the operator's configuration names `<plugin>/<id>`. */
export interface Guardrail {
  /** `^[a-z][a-z0-9-]{0,31}$` */
  readonly id: string
  readonly input?: GuardrailCheck
  readonly output?: GuardrailCheck
  /** A `redact` counts as a denial here: what was approved is what runs. */
  readonly toolArguments?: GuardrailCheck
  readonly toolResult?: GuardrailCheck
}
