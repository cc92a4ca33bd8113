import type { ProviderCall } from '@rollcall/host'
import {
  isRollcallError,
  type Json,
  type JsonObject,
  RollcallError,
  type ToolResult,
  visibleText,
} from '@rollcall/plugin'
import type { McpPeer } from '../peer/mcp-peer.ts'
import { toToolResult } from './to-tool-result.ts'

/**
 * Sends one `tools/call` and reads its answer. An error that the server answers with is a result: it is the tool
 * speaking.
 *
 * @throws {RollcallError} `TOOL_OUTCOME_UNKNOWN` when it was sent and its end is not known; `SERVER_UNAVAILABLE` or
 * `SERVER_TIMEOUT` when nothing was sent; `SERVER_PROTOCOL` for an answer that is none.
 */
export async function callTool(
  server: string,
  peer: McpPeer,
  request: {
    readonly tool: string
    readonly args: Json
    readonly call: ProviderCall
    readonly maxTotalTimeoutMs: number
  },
): Promise<ToolResult> {
  const { tool, args, call, maxTotalTimeoutMs } = request
  try {
    const answer = await peer.request(
      'tools/call',
      { name: tool, arguments: args },
      { signal: call.signal, timeoutMs: call.timeoutMs, maxTotalTimeoutMs, onProgress: (note) => pass(note, call) },
    )
    if (answer.ok) return toToolResult(server, answer.result)
    return { isError: true, content: [{ type: 'text', text: answer.error.message }] }
  } catch (error) {
    throw isRollcallError(error) && error.code !== 'SERVER_PROTOCOL' && error.data?.sent === true
      ? unknownEnd(tool, error)
      : error
  }
}

function pass({ progress, total, message }: JsonObject, call: ProviderCall): void {
  if (typeof progress !== 'number') return
  call.progress(
    progress,
    typeof total === 'number' ? total : undefined,
    typeof message === 'string' ? message : undefined,
  )
}

function unknownEnd(tool: string, reason: RollcallError): RollcallError {
  const exitCode = reason.data?.exitCode
  return new RollcallError('TOOL_OUTCOME_UNKNOWN', `The end of ${visibleText(tool)} is not known: ${reason.message}`, {
    hint: 'Look at the target before you repeat it.',
    data: { reason: reason.code, ...(exitCode !== undefined && { exitCode }) },
    cause: reason,
  })
}
