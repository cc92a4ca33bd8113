import { redactSecrets } from '@rollcall/plugin'
import type { CallDeps } from '../invoke/call-deps.ts'
import type { EndedOutcome } from '../invoke/end-call.ts'
import type { CallOptions } from '../invoke/runtime.ts'
import { sealHandle } from '../invoke/sealed-handle.ts'
import { readResultTool } from '../offer/runtime-tools.ts'
import { boundResult } from './bound-result.ts'

/**
 * What a model gets of a result: its text up to the bound, with the way to the rest. Structured content and binary blocks
 * pass whole. Whoever is no model gets everything.
 *
 * @throws {RollcallError} `STORE_UNAVAILABLE` where the whole can't be kept.
 */
export async function handOut(
  deps: CallDeps,
  tool: string,
  outcome: EndedOutcome,
  options: CallOptions,
): Promise<EndedOutcome> {
  const { resultBytes } = options
  if (resultBytes === undefined || (outcome.status !== 'ok' && outcome.status !== 'failed')) return outcome
  const { content, whole } = boundResult(outcome.content, resultBytes)
  if (whole === undefined) return outcome
  const { callId } = outcome
  // Redacted whole: a page that begins in the middle of a secret shows no part of it.
  const safe = redactSecrets(whole)
  const full = await deps.results.keep(safe, { principal: options.principal.id, callId, tool })
  const handle = sealHandle(await deps.digestKey(), 'result', callId, options)
  const bytes = Buffer.byteLength(whole)
  const note = `[Cut: ${resultBytes} of ${bytes} bytes. ${readResultTool} reads the rest: {"handle":"${handle}"}]`
  const bounded = [...content, { type: 'text' as const, text: note }]
  const text = bounded.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  if (outcome.status === 'failed') return { ...outcome, content: bounded, text }
  return { ...outcome, content: bounded, text, cut: { bytes, full } }
}
