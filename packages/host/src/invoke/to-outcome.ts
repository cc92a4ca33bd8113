import { type RollcallErrorCode, redactSecrets, type ToolContent, type ToolResult } from '@rollcall/plugin'
import type { EndedOutcome } from './end-call.ts'
import type { Executed } from './execute.ts'

const maxBytes = 10_000_000

/** Puts an execution into the one vocabulary of outcomes, bounded to 10 MB. Never throws. */
export function toOutcome(
  executed: Executed,
  call: { readonly callId: string; readonly durationMs: number },
): EndedOutcome {
  switch (executed.status) {
    case 'cancelled':
      return { ...call, status: 'cancelled', text: 'The call was cancelled.' }
    case 'unknown':
      return { ...call, status: 'unknown', code: executed.code, hint: executed.hint, text: executed.message }
    case 'failed':
      return failed(call, executed.code, executed.message, executed.hint)
    default:
      return fromDone(executed.result, call)
  }
}

/** A provider may hand back anything; what can't be read must not look as if nothing had been executed. */
function fromDone(result: ToolResult, call: { readonly callId: string; readonly durationMs: number }): EndedOutcome {
  try {
    return fromResult(result, call)
  } catch {
    return failed(call, 'TOOL_FAILED', 'The tool ran, but its result can not be read.', 'Its author has to correct it.')
  }
}

/** A failed outcome in words of our own. */
export function failed(
  call: { readonly callId: string; readonly durationMs: number },
  code: RollcallErrorCode,
  message: string,
  hint: string,
): EndedOutcome {
  const text = redactSecrets(message)
  return { ...call, status: 'failed', code, hint, text, content: [{ type: 'text', text }] }
}

function fromResult(result: ToolResult, call: { readonly callId: string; readonly durationMs: number }): EndedOutcome {
  const content = contentOf(result)
  const size = excessOf(content, result.structured, result.meta)
  if (size !== undefined) return tooBig(size, call)
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const rest = {
    ...call,
    text,
    content,
    ...(result.structured === undefined ? {} : { structured: result.structured }),
    ...(result.meta === undefined ? {} : { meta: result.meta }),
  }
  if (result.isError === true) return { ...rest, status: 'failed', code: 'TOOL_FAILED' }
  return { ...rest, status: 'ok', artifacts: result.artifacts ?? [] }
}

function contentOf(result: ToolResult): readonly ToolContent[] {
  if (result.content !== undefined && result.content.length > 0) return result.content
  if (result.structured === undefined) return result.content ?? []
  return [{ type: 'text', text: JSON.stringify(result.structured) }]
}

/** The outcome of a call whose result is larger than anybody gets. */
export function tooBig(size: number, call: { readonly callId: string; readonly durationMs: number }): EndedOutcome {
  const text = `The result has ${size} bytes, over the limit of ${maxBytes}.`
  return failed(call, 'TOOL_FAILED', text, 'Ask the tool for less at a time.')
}

/**
 * The bytes of a result that is too large; `undefined` for one within the bound.
 *
 * @throws {RangeError} for what is nested too deep to be written.
 */
export function excessOf(...parts: readonly unknown[]): number | undefined {
  const size = sizeOf(parts)
  return size > maxBytes ? size : undefined
}

/** Of the whole, with every field of every block. */
function sizeOf(parts: readonly unknown[]): number {
  return parts.reduce<number>(
    (sum, part) => sum + (part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part))),
    0,
  )
}
