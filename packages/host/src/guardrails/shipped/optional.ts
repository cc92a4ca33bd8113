import type { Guardrail } from '@rollcall/plugin'
import { contentFilter } from './content-filter.ts'
import { pii } from './pii.ts'

/** Those of ours that run where the configuration names them. */
export const optional: readonly Guardrail[] = [pii, contentFilter]
