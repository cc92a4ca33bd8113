import type { CallOptions, Host, ToolOutcome } from '@rollcall/host'
import type { JsonObject, RollcallErrorCode } from '@rollcall/plugin'
import { awaitTool } from './await-tool.ts'
import type { CallProgress } from './call-progress.ts'
import { invalidParams, RpcError } from './rpc-error.ts'
import { shownText } from './shown-text.ts'
import { toCallResult } from './to-call-result.ts'

const defaultWaitMs = 45_000

// Told apart, they would tell a client what exists.
const looksUnknown: ReadonlySet<RollcallErrorCode> = new Set([
  'TOOL_NOT_FOUND',
  'TOOL_GONE',
  'TOOL_DENIED',
  'TOOL_HELD',
])

/**
 * Serves one `tools/call` request, waiting a while for a person where one is needed.
 *
 * @param request.name the host's name of the tool
 * @param request.shownName the client's name of it
 * @param request.isVisible whether the caller sees a tool of that name; a failure of any other looks like an unknown tool
 * @throws {RpcError} −32602 for unknown, gone, forbidden and held tools alike; the server's own error where it gave one
 */
export async function callTool(
  host: Host,
  request: { readonly name: string; readonly shownName: string; readonly args: unknown; readonly isVisible: boolean },
  options: CallOptions & { readonly profile: string },
  progress: CallProgress | undefined,
): Promise<JsonObject> {
  const { shownName, isVisible } = request
  const outcome = await callAndWait(host, request, options, progress)
  // Arguments are checked before the gate, so a forbidden tool may fail by them.
  const hidden = !isVisible && outcome.status === 'failed'
  if (hidden || (outcome.status === 'denied' && looksUnknown.has(outcome.code))) {
    throw new RpcError(invalidParams, `Unknown tool: ${shownText(shownName, 100)}`)
  }
  if (outcome.status !== 'waiting') return toCallResult(outcome)
  return toCallResult(outcome, await host.tools.handle(outcome.pending, options))
}

async function callAndWait(
  host: Host,
  { name, args }: { readonly name: string; readonly args: unknown },
  options: CallOptions & { readonly profile: string },
  progress: CallProgress | undefined,
): Promise<ToolOutcome> {
  if (name !== awaitTool) {
    const called = await host.tools.call(name, args, options)
    return called.status === 'waiting' ? await awaitPerson(host, called, options, progress) : called
  }
  const stop = progress?.awaitPerson()
  try {
    return await host.tools.call(name, args, options)
  } finally {
    stop?.()
  }
}

async function awaitPerson(
  host: Host,
  { pending }: ToolOutcome & { readonly status: 'waiting' },
  options: CallOptions & { readonly profile: string },
  progress: CallProgress | undefined,
): Promise<ToolOutcome> {
  const stop = progress?.awaitPerson()
  const until = Date.now() + (host.profiles.get(options.profile)?.approvals?.waitMs ?? defaultWaitMs)
  const call = { stream: pending.stream, callId: pending.callId }
  const wait = () => host.tools.wait(call, { ...options, timeoutMs: Math.max(0, until - Date.now()) })
  try {
    const outcome = await wait()
    // What a person was to say is there, and now the whole call is to be approved.
    const isNext = pending.kind === 'input' && outcome.status === 'waiting' && outcome.pending.kind === 'approval'
    return isNext ? await wait() : outcome
  } finally {
    stop?.()
  }
}
