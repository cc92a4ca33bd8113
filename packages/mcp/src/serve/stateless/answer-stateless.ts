import type { CallerPort, Host } from '@rollcall/host'
import type { JsonObject, Principal } from '@rollcall/plugin'
import type { Answering } from '../client-request.ts'
import { methodNotFound, RpcError } from '../rpc-error.ts'
import type { ServedNames } from '../served-names.ts'
import type { ParkedCalls } from './parked-calls.ts'
import type { Round } from './round-call.ts'
import { findServedTool, requireCapabilities } from './served-tool.ts'

/** One request of the stateless revision, without what only carries it. */
export interface StatelessRequest {
  readonly method: string
  readonly params: JsonObject
  readonly who: { readonly principal: Principal; readonly profile: string }
  /** As this request says it. */
  readonly clientName: string
  /** The client's own, as this request declares them. */
  readonly capabilities: JsonObject
  /** What a call that waited for its client is found by; absent: the request begins anew. */
  readonly state?: unknown
  readonly round: Round
  readonly wantsProgress: boolean
  /** Absent: no log messages. */
  readonly logLevel?: string
}

/** Milliseconds for which a client may use a list without asking again. */
const listTtlMs = 5000

const lists: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
/** In the middle of these a client may be asked. */
const resumable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** What this side answers; `server/discover` and `subscriptions/listen` are the SDK's. */
export const statelessMethods: ReadonlySet<string> = new Set([...lists, ...resumable, 'completion/complete'])

/**
 * Answers requests of the stateless revision: what the session revisions answer, with what this one wants besides, and
 * with questions to the client as results that it answers by asking again.
 */
export function createStatelessAnswer(parts: {
  readonly answering: Answering
  readonly host: Host
  readonly names: ServedNames
  readonly parked: ParkedCalls
}): (request: StatelessRequest) => Promise<JsonObject> {
  const { answering, host, names, parked } = parts

  async function callInRounds(request: StatelessRequest): Promise<JsonObject> {
    const { method, params, who, clientName, capabilities, state, round } = request
    const owner = { ...who, method, params }
    if (state === undefined && method === 'tools/call') {
      const view = findServedTool(host, names, who, params.name)
      if (view !== undefined) requireCapabilities(view, capabilities, host.profiles.get(who.profile))
    }
    const { wantsProgress, logLevel } = request
    const level = logLevel === undefined ? {} : { logLevel }
    const begin = () =>
      parked.begin(owner, {
        capabilities,
        name: clientName,
        run: ({ onProgress, ...call }) =>
          answering.answer({ method, params, ...who, ...call, ...level, ...(wantsProgress && { onProgress }) }),
      })
    const call = state === undefined ? begin() : parked.take(state, owner)
    const result = await call.next(round)
    if (result !== undefined) return result
    return {
      resultType: 'input_required',
      inputRequests: call.inputRequests(),
      requestState: parked.park(call, owner),
    }
  }

  return async (request) => {
    const { method, params, who, capabilities, round } = request
    if (!statelessMethods.has(method)) throw new RpcError(methodNotFound, 'Method not found')
    if (resumable.has(method)) return callInRounds(request)
    const caller = unaskable(capabilities, round)
    const result = await answering.answer({ method, params, ...who, caller, signal: round.signal })
    return lists.has(method) ? { ...result, ttlMs: listTtlMs, cacheScope: 'private' } : result
  }
}

/** A client that can't be asked while it waits for this, and still counts as what it is. */
function unaskable(capabilities: JsonObject, round: Round): CallerPort {
  return {
    capabilities,
    notify(method, params) {
      if (method === 'notifications/message') round.log(params)
    },
  }
}
