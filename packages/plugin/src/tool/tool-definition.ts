import type { Static, TObject, TSchema } from 'typebox'
import type { Maybe } from '../json.ts'
import type { DataClass, Effect } from '../traits.ts'
import type { ToolContext } from './tool-context.ts'
import type { ToolResult } from './tool-result.ts'

/** The arguments that a schema describes; without a schema there are none. */
export type Arguments<I> = I extends TObject ? Static<I> : Record<string, never>

/** A tool as its author writes it. `I` is the input schema, `O` the schema of `structured`. */
export interface ToolDefinition<
  I extends TObject | undefined = TObject | undefined,
  O extends TSchema | undefined = TSchema | undefined,
> {
  /** `^[A-Za-z][A-Za-z0-9_]*$`; consumers see `<appId>__<name>`. */
  readonly name: string
  readonly title?: string
  /** At most 8 KB. What the tool does, for a reader who can't see its code. */
  readonly description: string
  readonly input?: I
  readonly output?: O
  readonly effect: Effect
  readonly dataClass: DataClass
  /** Default: the appId. */
  readonly group?: string
  readonly adminOnly?: boolean
  /** Default: always when the effect writes, else not needed. A throwing `when` counts as asking. */
  readonly approval?: 'always' | 'notNeeded' | { when(args: Arguments<I>): boolean }
  /** Values that only a person may supply; what a model says for these keys is dropped. */
  readonly asksPerson?: TObject
  /** Milliseconds, default 60,000. */
  readonly timeoutMs?: number
  readonly startsOff?: boolean
  /** At most 20 lines of 500 characters that tell a person what this call would do. */
  preview?(args: Arguments<I>): Maybe<readonly string[]>
  // Method syntax on purpose: a tool with a narrower input stays assignable to ToolDefinition.
  execute(args: Arguments<I>, context: ToolContext): Maybe<string | ToolResult<O extends TSchema ? Static<O> : unknown>>
}
