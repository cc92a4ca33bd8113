import type { RollcallErrorCode } from './rollcall-error.ts'

/** The room in which something was noticed. */
export type Phase = 'config' | 'load' | 'setup' | 'announce' | 'scan' | 'dedupe' | 'list' | 'validate' | 'serve'

/** A fault or notice that is reported instead of thrown. `report()`, `why` and every face show these. */
export interface Finding {
  readonly code: RollcallErrorCode | 'MIGRATION'
  /** The label under which a migration report lists it. */
  readonly migration?: `MIG${number}`
  readonly severity: 'error' | 'warn' | 'info'
  readonly about: { readonly plugin?: string; readonly appId?: string; readonly tool?: string }
  readonly phase: Phase
  readonly message: string
  readonly hint: string
  /** Messages of the chain of causes, redacted, outermost first. */
  readonly causes: readonly string[]
}
