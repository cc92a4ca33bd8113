import type { DataClassName, Effect, TrustZoneName } from '../traits.ts'

/** What the operator says about a tool. It wins over its author and over its server. */
export interface ToolWords {
  readonly dataClass?: DataClassName
  readonly effect?: Effect
  readonly approval?: 'always' | 'writes' | 'notNeeded'
  readonly adminOnly?: boolean
  /** Starts switched off. */
  readonly off?: boolean
}

/** What the operator says about a provider; a preset is one word for the others, any of them overrides it. */
export interface OperatorWords extends ToolWords {
  readonly preset?: string
  readonly isolation?: 'shared' | 'principal' | 'session'
  readonly zone?: TrustZoneName
  /** Its address may lie in a private network, though somebody else than the operator declared it. */
  readonly allowPrivateNetwork?: boolean
  /** By the tool's original name. */
  readonly tools?: Readonly<Record<string, ToolWords>>
}
