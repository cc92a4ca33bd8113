import type { Guardrail } from '@rollcall/plugin'
import { contentFilter } from './content-filter.ts'
import { pii } from './pii.ts'

/** Those that run in every host, besides the redaction of secrets and the look for injected instructions. */
export const alwaysOn: readonly Guardrail[] = []

/** Those that run where the configuration names them. */
export const optional: readonly Guardrail[] = [pii, contentFilter]
