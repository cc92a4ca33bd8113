import type { ProviderCall } from '@rollcall/host'
import type { Json, JsonObject, ToolResult } from '@rollcall/plugin'
import type { Work } from '../pool/shared-connection.ts'
import { serverErrorKey } from '../server-error.ts'
import { sendRequest } from './send-request.ts'
import { toToolResult } from './to-tool-result.ts'

/**
 * Sends one `tools/call` and reads its answer. An error that the server answers with is a result: it is the tool
 * speaking.
 *
 * @throws {RollcallError} as `sendRequest` does, and `SERVER_PROTOCOL` for a result that is none.
 */
export async function callTool(
  server: string,
  work: Work,
  request: {
    readonly tool: string
    readonly args: Json
    readonly call: ProviderCall
    readonly maxTotalTimeoutMs: number
  },
): Promise<ToolResult> {
  const { tool, args, call, maxTotalTimeoutMs } = request
  const meta: JsonObject = { ...call.meta, 'rollcall/idempotencyKey': call.idempotencyKey }
  const answer = await sendRequest(
    work,
    { ...call, meta },
    {
      about: tool,
      method: 'tools/call',
      params: { name: tool, arguments: args },
      maxTotalTimeoutMs,
    },
  )
  if (answer.ok) return toToolResult(server, answer.result)
  const { error } = answer
  return { isError: true, content: [{ type: 'text', text: error.message }], meta: { [serverErrorKey]: { ...error } } }
}
