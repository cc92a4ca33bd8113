import type { GuardrailCheck, GuardrailContext, GuardrailVerdict } from '@rollcall/plugin'
import { keepAlive } from '../isolation/keep-alive.ts'
import { runIsolated } from '../isolation/run-isolated.ts'
import type { Clock } from '../ports/clock.ts'
import type { LabelledRange } from './apply-ranges.ts'

/** What a guardrail said, read; or why nothing can be made of it. */
export type Judged =
  | Exclude<GuardrailVerdict, { verdict: 'redact' }>
  | { readonly verdict: 'redact'; readonly ranges: readonly LabelledRange[] }
  | { readonly verdict: 'fault'; readonly message: string }

const limitMs = 2_000
const maxReason = 500

/** Asks a guardrail of a plugin: isolated, within two seconds, its answer read as what anybody may have written. Never rejects. */
export async function askGuardrail(
  id: string,
  check: GuardrailCheck,
  text: string,
  context: Omit<GuardrailContext, 'signal'> & { readonly signal?: AbortSignal },
  clock: Clock,
): Promise<Judged> {
  const { signal: outer, ...about } = context
  const isolated = await keepAlive(
    runIsolated((signal) => check(text, Object.freeze({ ...about, signal })), {
      limitMs,
      clock,
      ...(outer !== undefined && { signal: outer }),
    }),
  )
  if (!isolated.ok) return fault(isolated.fault.message)
  try {
    return readVerdict(id, isolated.value, text.length)
  } catch {
    return fault('It gave an answer that can not be read.')
  }
}

/** Reads a verdict, which may be anything. What is not understood is a fault, never an allow. */
export function readVerdict(id: string, given: unknown, length: number): Judged {
  if (typeof given !== 'object' || given === null) return fault('It gave no verdict.')
  const { verdict, ranges, hint, reason } = given as Readonly<Record<string, unknown>>
  switch (verdict) {
    case 'allow':
      return { verdict }
    case 'retry':
      return { verdict, hint: words(hint) }
    case 'ask':
    case 'deny':
      return { verdict, reason: words(reason) }
    case 'redact':
      return readRanges(id, ranges, length)
    default:
      return fault('It gave a verdict that is none of allow, redact, retry, ask, deny.')
  }
}

function readRanges(id: string, given: unknown, length: number): Judged {
  if (!Array.isArray(given)) return fault('It redacts, and names no ranges.')
  const ranges: LabelledRange[] = []
  for (const range of given) {
    const { start, end, label } = (range ?? {}) as Readonly<Record<string, unknown>>
    if (!isIndex(start, length) || !isIndex(end, length) || start >= end)
      return fault('It named a range that is not within the text.')
    const isLabel = typeof label === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(label)
    ranges.push({ start, end, label: isLabel ? label : id })
  }
  return ranges.length === 0 ? { verdict: 'allow' } : { verdict: 'redact', ranges }
}

function isIndex(value: unknown, length: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= length
}

function words(given: unknown): string {
  return typeof given === 'string' ? given.slice(0, maxReason) : ''
}

function fault(message: string): Judged {
  return { verdict: 'fault', message }
}
